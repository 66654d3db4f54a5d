//! Arithmetic of a sweep over candidate parents, one block of candidates at a time.

use super::dispatch;

/// Candidates per block, few enough for the working rows (one per parent, and six more) to stay in
/// cache.
pub const BLOCK: usize = 512;

/// Key by which the candidates of a slot are ranked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keys {
    /// Decrease of the residual when the candidate is added, `c^2 / v`.
    Fall,
    /// Minus the residual that remains after the candidate is added, `c^2 / v - base`, given the
    /// residual `base` before.
    Left(f64),
    /// Square of the inner product with the ideal profile, `c^2`.
    Square,
    /// No keys: the caller computes them from `c` and `v`.
    None,
}

/// Terms by which dropping a parent changes `c` and `v`.
#[derive(Clone, Copy, Debug)]
pub struct SlotTerms<'a> {
    /// Column of `L^-1` of the dropped parent, from the diagonal down.
    pub inverse: &'a [f64],
    /// Position of the dropped parent.
    pub index: usize,
    /// Weight of the dropped parent when predicting the child.
    pub own: f64,
    /// Its diagonal entry in the inverse of the parents' correlations.
    pub precision: f64,
    /// Correlations of the dropped parent with the candidates. If given, the other weights stay
    /// frozen as in the paper: `own` times these correlations is added to `c`. `None`: the other
    /// parents are refitted.
    pub frozen: Option<&'a [f64]>,
}

/// Working rows for one block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    width: usize,
    rows: Vec<f64>,
    c: Vec<f64>,
    v: Vec<f64>,
    slot_c: Vec<f64>,
    slot_v: Vec<f64>,
    keys: Vec<f64>,
    weight: Vec<f64>,
}

impl Block {
    /// Allocates the rows for families of `k` parents.
    pub fn prepare(&mut self, k: usize) {
        if self.rows.len() < k * BLOCK {
            self.rows.resize(k * BLOCK, 0.0);
        }
        for row in [
            &mut self.c,
            &mut self.v,
            &mut self.slot_c,
            &mut self.slot_v,
            &mut self.keys,
            &mut self.weight,
        ] {
            row.resize(BLOCK, 0.0);
        }
    }

    /// Projects a block of candidates off the parents.
    ///
    /// `child` and `parents` hold the correlations with the candidates of the block. `own` gives
    /// the diagonal entry of each candidate: its unit variance plus any ridge. `lower` holds the
    /// factor `L` row by row, and `projected` the child's `L^-1 r`.
    pub fn project(
        &mut self,
        child: &[f64],
        parents: &[&[f64]],
        own: impl Fn(usize) -> f64,
        lower: &[f64],
        projected: &[f64],
    ) {
        self.width = child.len();
        for (i, v) in self.v[..self.width].iter_mut().enumerate() {
            *v = own(i);
        }
        let width = self.width;
        let rows = &mut self.rows;
        let (c, v) = (&mut self.c[..width], &mut self.v[..width]);
        dispatch(
            #[inline(always)]
            move || {
                let k = parents.len();
                c.copy_from_slice(child);
                for i in 0..k {
                    let (before, row) = rows.split_at_mut(i * BLOCK);
                    let row = &mut row[..width];
                    let source = &parents[i][..width];
                    let factors = &lower[i * k..i * k + i];
                    match factors.first() {
                        None => row.copy_from_slice(source),
                        Some(first) => {
                            let earlier = &before[..width];
                            for t in 0..width {
                                row[t] = source[t] - first * earlier[t];
                            }
                        }
                    }
                    for j in 1..i {
                        let factor = factors[j];
                        let earlier = &before[j * BLOCK..j * BLOCK + width];
                        for t in 0..width {
                            row[t] -= factor * earlier[t];
                        }
                    }
                    let (scale, own) = (1.0 / lower[i * k + i], projected[i]);
                    for t in 0..width {
                        let w = row[t] * scale;
                        row[t] = w;
                        c[t] -= own * w;
                        v[t] -= w * w;
                    }
                }
            },
        );
    }

    /// Replaces `c` by values known from elsewhere.
    pub fn set_products(&mut self, products: &[f64]) {
        self.c[..self.width].copy_from_slice(products);
    }

    /// Returns `c`, `v` and keys of the block's candidates for one slot.
    ///
    /// `terms` is `None` for the slot that adds a parent. A candidate with `v < least` gets the key
    /// `otherwise`.
    pub fn slot(
        &mut self,
        terms: Option<SlotTerms>,
        keys: Keys,
        (least, otherwise): (f64, f64),
    ) -> (&[f64], &[f64], &[f64]) {
        let width = self.width;
        if let Some(terms) = terms {
            self.drop_parent(terms);
        }
        let (c, v) = match terms {
            Some(_) => (&self.slot_c[..width], &self.slot_v[..width]),
            None => (&self.c[..width], &self.v[..width]),
        };
        let out = &mut self.keys[..width];
        match keys {
            Keys::Fall => fill(
                out,
                c,
                v,
                (least, otherwise),
                #[inline(always)]
                |c, v| c * c / v,
            ),
            Keys::Left(base) => fill(
                out,
                c,
                v,
                (least, otherwise),
                #[inline(always)]
                |c, v| c * c / v - base,
            ),
            Keys::Square => fill(
                out,
                c,
                v,
                (least, otherwise),
                #[inline(always)]
                |c, _| c * c,
            ),
            Keys::None => {}
        }
        (c, v, &self.keys[..width])
    }

    /// Computes `c` and `v` of the block's candidates with one parent dropped.
    fn drop_parent(&mut self, terms: SlotTerms) {
        let width = self.width;
        let rows = &self.rows;
        let (c, v) = (&self.c[..width], &self.v[..width]);
        let weight = &mut self.weight[..width];
        let (slot_c, slot_v) = (&mut self.slot_c[..width], &mut self.slot_v[..width]);
        dispatch(
            #[inline(always)]
            move || {
                // Weight of the dropped parent when predicting each candidate: its row of L'^-1 W.
                weight.fill(0.0);
                for (row, &factor) in terms.inverse.iter().enumerate() {
                    let from = (terms.index + row) * BLOCK;
                    let w = &rows[from..from + width];
                    for t in 0..width {
                        weight[t] += factor * w[t];
                    }
                }
                let share = 1.0 / terms.precision;
                let given_back = terms.own * share;
                for t in 0..width {
                    slot_c[t] = c[t] + given_back * weight[t];
                    slot_v[t] = v[t] + weight[t] * weight[t] * share;
                }
                if let Some(dropped) = terms.frozen {
                    let dropped = &dropped[..width];
                    for t in 0..width {
                        slot_c[t] = c[t] + terms.own * dropped[t];
                    }
                }
            },
        );
    }
}

/// Writes the keys of the candidates; `otherwise` where `v < least`.
fn fill(
    out: &mut [f64],
    c: &[f64],
    v: &[f64],
    (least, otherwise): (f64, f64),
    key: impl Fn(f64, f64) -> f64,
) {
    dispatch(
        #[inline(always)]
        move || {
            let width = out.len();
            let (c, v) = (&c[..width], &v[..width]);
            for t in 0..width {
                let key = key(c[t], v[t]);
                out[t] = if v[t] >= least { key } else { otherwise };
            }
        },
    );
}
