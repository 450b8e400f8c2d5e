//! What the tests of the library share, beside `gradyn_testkit`: it reads model files and runs whole models.

pub(crate) mod agree;
pub(crate) mod cases;
pub(crate) mod elements;
pub(crate) mod faults;
pub(crate) mod hard_points;
pub(crate) mod pairs;
