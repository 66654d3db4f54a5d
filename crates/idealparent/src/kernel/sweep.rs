//! Arithmetic of a sweep over candidate parents, one block of candidates at a time.

use pulp::{Arch, NullaryFnOnce};

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
    /// Column of `L^-1` that belongs to the dropped parent, from its own row on, and that row's number.
    pub inverse: &'a [f64],
    /// Number of the dropped parent.
    pub index: usize,
    /// Weight of the dropped parent when predicting the child.
    pub own: f64,
    /// Its entry on the diagonal of the inverse.
    pub precision: f64,
    /// The paper's frozen profile gets back `own` times these correlations; else everything is refitted.
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
    /// candidate has of its own, `lower` the factor `L` row by row and `projected` the child's `L^-1 r`.
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
        Arch::new().dispatch(Project {
            child,
            parents,
            lower,
            projected,
            rows: &mut self.rows,
            c: &mut self.c[..width],
            v: &mut self.v[..width],
        });
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
            Arch::new().dispatch(Drop {
                terms,
                rows: &self.rows,
                c: &self.c[..width],
                v: &self.v[..width],
                weight: &mut self.weight[..width],
                slot_c: &mut self.slot_c[..width],
                slot_v: &mut self.slot_v[..width],
            });
        }
        let (c, v) = match terms {
            Some(_) => (&self.slot_c[..width], &self.slot_v[..width]),
            None => (&self.c[..width], &self.v[..width]),
        };
        Arch::new().dispatch(Compare {
            keys,
            least,
            c,
            v,
            out: &mut self.keys[..width],
        });
        (c, v, &self.keys[..width])
    }
}

struct Project<'a> {
    child: &'a [f64],
    parents: &'a [&'a [f64]],
    lower: &'a [f64],
    projected: &'a [f64],
    rows: &'a mut [f64],
    c: &'a mut [f64],
    v: &'a mut [f64],
}

impl NullaryFnOnce for Project<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let k = self.parents.len();
        let width = self.c.len();
        self.c.copy_from_slice(self.child);
        let (c, v) = (&mut self.c[..width], &mut self.v[..width]);
        for i in 0..k {
            let (before, row) = self.rows.split_at_mut(i * BLOCK);
            let row = &mut row[..width];
            let source = &self.parents[i][..width];
            let factors = &self.lower[i * k..i * k + i];
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
            let (scale, own) = (1.0 / self.lower[i * k + i], self.projected[i]);
            for t in 0..width {
                let w = row[t] * scale;
                row[t] = w;
                c[t] -= own * w;
                v[t] -= w * w;
            }
        }
    }
}

struct Drop<'a> {
    terms: SlotTerms<'a>,
    rows: &'a [f64],
    c: &'a [f64],
    v: &'a [f64],
    weight: &'a mut [f64],
    slot_c: &'a mut [f64],
    slot_v: &'a mut [f64],
}

impl NullaryFnOnce for Drop<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let width = self.c.len();
        let (c, v) = (&self.c[..width], &self.v[..width]);
        let (slot_c, slot_v) = (&mut self.slot_c[..width], &mut self.slot_v[..width]);
        // Weight of the dropped parent when predicting each candidate: its row of L'^-1 W.
        let weight = &mut self.weight[..width];
        weight.fill(0.0);
        for (row, &factor) in self.terms.inverse.iter().enumerate() {
            let from = (self.terms.index + row) * BLOCK;
            let w = &self.rows[from..from + width];
            for t in 0..width {
                weight[t] += factor * w[t];
            }
        }
        let share = 1.0 / self.terms.precision;
        let given_back = self.terms.own * share;
        for t in 0..width {
            slot_c[t] = c[t] + given_back * weight[t];
            slot_v[t] = v[t] + weight[t] * weight[t] * share;
        }
        if let Some(dropped) = self.terms.frozen {
            let dropped = &dropped[..width];
            for t in 0..width {
                slot_c[t] = c[t] + self.terms.own * dropped[t];
            }
        }
    }
}

struct Compare<'a> {
    keys: Keys,
    least: f64,
    c: &'a [f64],
    v: &'a [f64],
    out: &'a mut [f64],
}

impl NullaryFnOnce for Compare<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let width = self.out.len();
        let (c, v, out) = (&self.c[..width], &self.v[..width], &mut self.out[..width]);
        match self.keys {
            Keys::Fall => {
                for t in 0..width {
                    let fall = c[t] * c[t] / v[t];
                    out[t] = if v[t] >= self.least {
                        fall
                    } else {
                        f64::NEG_INFINITY
                    };
                }
            }
            Keys::Square => {
                for t in 0..width {
                    let square = c[t] * c[t];
                    out[t] = if v[t] >= self.least {
                        square
                    } else {
                        f64::NEG_INFINITY
                    };
                }
            }
            Keys::None => {}
        }
    }
}
