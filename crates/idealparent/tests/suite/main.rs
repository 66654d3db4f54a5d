//! Tests of the library, through its public interface and its internal modules.

mod bge;
mod common;
mod custom_link;
mod exact;
mod export;
mod hard_data;
mod hidden;
mod measures;
mod missing;
mod missing_corners;
mod missing_nonlinear;
mod mixtures;
mod networks;
mod nonlinear_fit;
mod nonlinear_hard;
mod nonlinear_measures;
mod nonlinear_oracles;
mod nonlinear_properties;
mod nonlinear_stable;
mod price;
mod reading;
mod search_linear;
mod search_nonlinear;
mod searches;
mod selector_nonlinear;
