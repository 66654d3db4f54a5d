//! Adding hidden variables one by one, as long as each raises the score (sections 4.2 and 6).

use rayon::prelude::*;

use super::insert::Standing;
use super::residuals::profiles;
use super::{
    Agglomeration, Cluster, ClusterScore, Factor, HiddenAttempt, HiddenOutcome, agglomerate,
};
use crate::data::Completed;
use crate::em::{Aside, Care, Completion, Em, Iterations, State};
use crate::error::Result;
use crate::learn::{How, Pass, Prepared};
use crate::options::{LearnOptions, Method};
use crate::search::{Counts, Ending, Observer, Plan, SearchKind};

/// Clusters tried before the search for hidden variables ends.
const TRIES: usize = 3;

/// A hidden variable has to raise the score by this much, in nats.
const LEAST_GAIN: f64 = 1e-3;

/// Adding hidden variables to a network.
pub(crate) struct Growth<'a> {
    /// The table without hidden variables.
    base: &'a Prepared,
    options: &'a LearnOptions,
    /// The search after each insertion.
    plan: Plan,
    counts: Counts,
    attempts: Vec<HiddenAttempt>,
}

impl<'a> Growth<'a> {
    pub(crate) fn new(base: &'a Prepared, options: &'a LearnOptions, plan: &Plan) -> Self {
        Growth {
            base,
            options,
            plan: Plan {
                search: SearchKind::Hill,
                restarts: 0,
                ..plan.clone()
            },
            counts: Counts::default(),
            attempts: Vec::new(),
        }
    }

    /// The state of a network learned from complete data.
    pub(crate) fn complete(&self, pass: &Pass) -> Result<State> {
        let columns = self.base.table.columns().to_vec();
        let variances = vec![Vec::new(); columns.len()];
        let mut state = State {
            network: pass.network.clone(),
            completion: Completion {
                data: Completed::new(columns, variances, Default::default()),
                entropy: 0.0,
            },
            free_energy: 0.0,
        };
        Em::new(self.base, self.options).expect(&mut state)?;
        Ok(state)
    }

    /// Adds hidden variables to a network without any, until no further one pays.
    pub(crate) fn grow(
        mut self,
        mut pass: Pass,
        state: State,
        plan: &Plan,
        observer: &mut dyn Observer,
    ) -> Result<(Pass, State)> {
        let hidden = self.options.hidden;
        let mut standing = Standing {
            prepared: self.base.with_hidden(0, hidden.two_layer),
            state,
        };
        let without = standing.state.free_energy;
        pass.count(&mut self.counts);
        let mut ending = pass.found.ending;
        while ending != Ending::Stopped && standing.hidden().len() < hidden.count.most() {
            match self.add_one(&standing, observer)? {
                Added::None => break,
                Added::Stopped => ending = Ending::Stopped,
                Added::One(next) => standing = *next,
            }
        }
        if standing.state.free_energy > without && ending != Ending::Stopped {
            ending = self.polish(&mut standing, plan, observer)?;
        }
        standing.finish(self.options)?;
        let count = standing.hidden().len();
        if count == 0 {
            pass.notes.push(self.why_none());
        } else if count < hidden.count.most() && hidden.count.most() < usize::MAX {
            let words = format!("no more than {count} hidden variables raise the score");
            pass.notes.push(words);
        }
        pass.network = standing.state.network.clone();
        pass.found.ending = ending;
        pass.found.moves = self.counts.moves;
        pass.found.evaluations = self.counts.evaluations;
        pass.found.rounds = self.counts.rounds;
        pass.rejected = self.counts.rejected;
        pass.attempts = self.attempts;
        Ok((pass, standing.state))
    }

    /// Why there is no hidden variable.
    fn why_none(&self) -> String {
        match self
            .attempts
            .iter()
            .any(|a| a.outcome == HiddenOutcome::Refused)
        {
            true => "no hidden variable: those that were tried do not raise the score".to_string(),
            false => {
                let fewest = self.options.hidden.fewest();
                format!(
                    "no hidden variable: no {fewest} or more variables have ideal parents that agree enough for {} instances",
                    self.base.table.rows()
                )
            }
        }
    }

    /// The network as it is, with the search that was asked for.
    fn polish(
        &mut self,
        standing: &mut Standing,
        plan: &Plan,
        observer: &mut dyn Observer,
    ) -> Result<Ending> {
        let before = standing.clone();
        let (found, ending) = self.restructure(before, plan, Care::FULL, observer)?;
        if found.state.free_energy > standing.state.free_energy {
            *standing = found;
            observer.free_energy(standing.state.free_energy);
        }
        Ok(ending)
    }

    /// Tries clusters, the most promising first, until one raises the score.
    fn add_one(&mut self, standing: &Standing, observer: &mut dyn Observer) -> Result<Added> {
        for (factor, estimate) in self.candidates(standing).into_iter().take(TRIES) {
            if observer.stop() {
                return Ok(Added::Stopped);
            }
            let mut attempt = HiddenAttempt {
                name: String::new(),
                children: factor.members.clone(),
                estimate,
                achieved: f64::NAN,
                outcome: HiddenOutcome::Tried,
            };
            let inserted = standing.insert(self.base, self.options, &factor)?;
            attempt.name = inserted
                .state
                .network
                .name(inserted.prepared.table.width() - 1)
                .to_string();
            observer.hidden(&attempt);
            let plan = self.plan.clone();
            let (next, ending) =
                self.restructure(inserted, &plan, Care::QUICK, &mut Aside(observer))?;
            if ending == Ending::Stopped {
                return Ok(Added::Stopped);
            }
            attempt.achieved = next.state.free_energy - standing.state.free_energy;
            let pays = attempt.achieved > LEAST_GAIN;
            attempt.outcome = match pays {
                true => HiddenOutcome::Added,
                false => HiddenOutcome::Refused,
            };
            observer.hidden(&attempt);
            self.attempts.push(attempt);
            if pays {
                observer.variables(next.prepared.table.names());
                observer.free_energy(next.state.free_energy);
                return Ok(Added::One(Box::new(next)));
            }
        }
        Ok(Added::None)
    }

    /// Searches from a network with hidden variables, and drops those that end up with too few children.
    fn restructure(
        &mut self,
        mut standing: Standing,
        plan: &Plan,
        care: Care,
        observer: &mut dyn Observer,
    ) -> Result<(Standing, Ending)> {
        loop {
            let em = Em::new(&standing.prepared, self.options);
            let State {
                network,
                completion,
                free_energy,
            } = standing.state;
            let how = How {
                plan,
                start: network.dag(),
                resume: None,
            };
            // Later than the first iteration, so that the search is the one asked for.
            let from = Iterations {
                number: 2,
                counts: Counts::default(),
                state: Some((network, free_energy)),
                completion,
            };
            let (mut pass, state) = em.iterate(how, from, care, observer)?;
            pass.count(&mut self.counts);
            standing.state = state;
            let ending = pass.found.ending;
            let too_few = standing.with_few_children(self.options.hidden.fewest());
            if too_few.is_empty() || ending == Ending::Stopped {
                return Ok((standing, ending));
            }
            standing = standing.without(self.base, self.options, &too_few)?;
        }
    }

    /// Clusters that a hidden variable could be the parent of, with what it would add to the score.
    fn candidates(&self, standing: &Standing) -> Vec<(Factor, f64)> {
        let State {
            network,
            completion,
            ..
        } = &standing.state;
        let limit = self.base.constraints.max_parents();
        let has_room = |v: &usize| {
            let family = &network.families[*v];
            !family.inactive && !network.variables[*v].hidden && family.parents.len() < limit
        };
        let variables: Vec<usize> = (0..network.len()).filter(has_room).collect();
        let profiles = profiles(network, &completion.data, &variables);
        let prices = self.base.prices(self.options);
        let price = prices.parameter + prices.edge;
        let fewest = self.options.hidden.fewest();
        let first = self.options.hidden.two_layer && standing.hidden().is_empty();
        let score = self.options.hidden.cluster_score;
        let parent_of_all = self.options.method == Method::Greedy || first;
        let found = match parent_of_all {
            // As in the paper.
            true => {
                let all: Vec<usize> = (0..variables.len()).collect();
                let (eigenvalue, vector) = profiles.leading(&all, vec![1.0; all.len()]);
                vec![Cluster {
                    worth: score.worth(profiles.instances(), eigenvalue),
                    members: all,
                    eigenvalue,
                    vector,
                }]
            }
            false => {
                let how = Agglomeration {
                    score,
                    calibrated: std::env::var("IP_CAL").is_err(),
                    largest: usize::MAX,
                };
                agglomerate(&profiles, how)
            }
        };
        let promise = |cluster: &Cluster| {
            let size = |members: &[usize]| price * members.len() as f64;
            let least = if parent_of_all {
                f64::NEG_INFINITY
            } else {
                price
            };
            let mut factor = Factor::new(&profiles, cluster, least);
            let estimate = match score {
                ClusterScore::Integrated => factor.gain - size(&factor.members),
                ClusterScore::Paper => cluster.worth - size(&cluster.members),
            };
            factor.members = factor.members.iter().map(|&i| variables[i]).collect();
            (factor, estimate)
        };
        let is_large = |cluster: &&Cluster| cluster.members.len() >= fewest;
        let mut promising: Vec<(Factor, f64)> = found
            .par_iter()
            .filter(is_large)
            .map(promise)
            .filter(|(factor, estimate)| {
                factor.members.len() >= fewest && (*estimate > 0.0 || parent_of_all)
            })
            .collect();
        promising.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.members.cmp(&b.0.members)));
        promising
    }
}

/// What came of looking for one more.
enum Added {
    None,
    Stopped,
    One(Box<Standing>),
}
