//! Signed errors and their bars.

use numasim_ask::compare::{scale, signed};

use super::{bar, header};
use crate::view::Style;

#[test]
fn errors_have_a_sign_and_nothing_is_minus_zero() {
    assert_eq!(signed(Some(0.016_65)), "+1.7 %");
    assert_eq!(signed(Some(-0.000_1)), "0.0 %");
    assert_eq!(signed(None), "-");
}

#[test]
fn bars_go_to_both_sides_of_zero_on_a_round_scale() {
    let style = Style { unicode: false, ..Style::default() };
    assert_eq!(scale(0.055), 0.1);
    assert_eq!(header(0.1), "-10 %   0   +10 %");
    // a half and a quarter of 8 cells
    assert_eq!(bar(Some(0.05), 0.1, &style), "        |####");
    assert_eq!(bar(Some(-0.025), 0.1, &style), "      ##|");
    // more than the scale fills it
    assert_eq!(bar(Some(9.0), 5.0, &style), "        |########");
    assert_eq!(bar(None, 0.1, &style), "");
}
