//! Arithmetic of a sweep over candidate parents, one block of candidates at a time.

use super::dispatch;

/// Candidates per block: the k + 5 working rows stay near the core.
pub const BLOCK: usize = 512;

/// What the candidates of a slot are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Fall of the residual when the candidate is added, `c^2 / v`.
    Fall,
    /// Square of the inner product with the ideal profile, `c^2`.
    Square,
    /// None: the caller computes its own from `c` and `v`.
    None,
}

/// What a slot changes in `c` and `v`.
#[derive(Clone, Copy, Debug)]
pub struct SlotTerms<'a> {
    /// Column of `L^-1` that belongs to the dropped parent, from its own row on, and that row's
    /// number.
    pub inverse: &'a [f64],
    /// Number of the dropped parent.
    pub index: usize,
    /// Weight of the dropped parent when predicting the child.
    pub own: f64,
    /// Its entry on the diagonal of the inverse.
    pub precision: f64,
    /// The paper's frozen profile gets back `own` times these correlations; else everything is
    /// refitted.
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
    /// Makes room for families of `k` parents.
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
    /// `child` and `parents` hold the correlations with the candidates of the block, `v` what each
    /// candidate has of its own, `lower` the factor `L` row by row and `projected` the child's
    /// `L^-1 r`.
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

    /// `c`, `v` and keys of the block's candidates for one slot; `None` for the slot that adds.
    pub fn slot(
        &mut self,
        terms: Option<SlotTerms>,
        keys: Keys,
        least: f64,
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
                least,
                #[inline(always)]
                |c, v| c * c / v,
            ),
            Keys::Square => fill(
                out,
                c,
                v,
                least,
                #[inline(always)]
                |c, _| c * c,
            ),
            Keys::None => {}
        }
        (c, v, &self.keys[..width])
    }

    /// `c` and `v` of the block's candidates without a parent.
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

/// Keys of candidates; minus infinity where less than `least` is left of one.
fn fill(out: &mut [f64], c: &[f64], v: &[f64], least: f64, key: impl Fn(f64, f64) -> f64) {
    dispatch(
        #[inline(always)]
        move || {
            let width = out.len();
            let (c, v) = (&c[..width], &v[..width]);
            for t in 0..width {
                let key = key(c[t], v[t]);
                out[t] = if v[t] >= least {
                    key
                } else {
                    f64::NEG_INFINITY
                };
            }
        },
    );
}
