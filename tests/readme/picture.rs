//! The coloured text of a terminal as an SVG picture.
//!
//! Lines, boxes, bars and threads are drawn as shapes, and each word is stretched to its columns, so that the picture
//! looks the same with any font of the viewer.

use std::fmt::Write as _;

/// Size of a character, in pixels.
const COLUMN: f64 = 8.0;
const LINE: f64 = 18.0;
const MARGIN: f64 = 14.0;

const INK: &str = "#1f2328";
const FAINT: &str = "#6e7781";

/// The style that the escape sequences before a character request.
#[derive(Clone, Copy, PartialEq)]
struct Paint {
    colour: &'static str,
    bold: bool,
}

const PLAIN: Paint = Paint { colour: INK, bold: false };

/// The picture of `text`, which may contain ANSI colours.
pub(crate) fn svg(text: &str) -> String {
    let lines: Vec<Vec<(char, Paint)>> = text.lines().map(cells).collect();
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let (width, height) = (columns * COLUMN + 2.0 * MARGIN, lines.len() as f64 * LINE + 2.0 * MARGIN);
    let mut drawn = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"13\">\n\
         <!-- Written by the test `readme` with UPDATE_README=1 set. -->\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#ffffff\"/>\n"
    );
    for (row, line) in lines.iter().enumerate() {
        let top = MARGIN + row as f64 * LINE;
        let mut column = 0;
        while column < line.len() {
            let (character, paint) = line[column];
            let left = MARGIN + column as f64 * COLUMN;
            let length = run(&line[column..]);
            match shape(character, left, top, length) {
                _ if character == ' ' => {}
                Some(shape) => drawn.push_str(&shape.replace("INK", paint.colour)),
                None => {
                    let word: String = line[column..column + length].iter().map(|(c, _)| *c).collect();
                    drawn.push_str(&written(&word, left, top, length, paint));
                }
            }
            column += length;
        }
    }
    drawn + "</svg>\n"
}

/// Splits a line into characters, each with its paint.
fn cells(line: &str) -> Vec<(char, Paint)> {
    let mut cells = Vec::new();
    let mut paint = PLAIN;
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        if let Some(sequence) = rest.strip_prefix("\u{1b}[") {
            let (codes, after) = sequence.split_once('m').expect("only colours are printed");
            paint = match codes {
                "0" => PLAIN,
                "1" => Paint { bold: true, ..paint },
                "2" => Paint { colour: FAINT, ..paint },
                "31" => Paint { colour: "#c1272d", ..paint },
                other => Paint { colour: of_app(other), ..paint },
            };
            rest = after;
        } else {
            cells.push((next, paint));
            rest = &rest[next.len_utf8()..];
        }
    }
    cells
}

/// The colour of an application's text, darkened until it can be read on white paper.
fn of_app(codes: &str) -> &'static str {
    let code: u8 = codes.strip_prefix("38;5;").and_then(|code| code.parse().ok()).expect("a colour of 256");
    let app =
        (0..8).find(|&app| numasim_draw::terminal_colour_of(app) == code).expect("an application's colour");
    let hex = numasim_draw::colour_of(app);
    let mut parts =
        [1, 3, 5].map(|at| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits")));
    // About half as light as white: a contrast of 3.
    while 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] > 155.0 {
        parts = parts.map(|part| 0.97 * part);
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
    let [red, green, blue] = parts.map(|part| part.round() as u8);
    // A few colours of a test.
    format!("#{red:02x}{green:02x}{blue:02x}").leak()
}

/// The number of characters drawn at once: equal line characters, or a word in one paint.
fn run(cells: &[(char, Paint)]) -> usize {
    let (first, paint) = cells[0];
    let alike = |&(character, other): &(char, Paint)| {
        other == paint
            && match first {
                '─' | '━' | '█' | '▒' => character == first,
                _ => character != ' ' && shape(character, 0.0, 0.0, 1).is_none(),
            }
    };
    if !matches!(first, '─' | '━' | '█' | '▒') && shape(first, 0.0, 0.0, 1).is_some() {
        return 1;
    }
    cells.iter().take_while(|cell| alike(cell)).count().max(1)
}

/// `length` characters drawn as a shape in the colour `INK`; `None` for text.
fn shape(character: char, left: f64, top: f64, length: usize) -> Option<String> {
    let (right, bottom) = (left + length as f64 * COLUMN, top + LINE);
    let (x, y) = (left + COLUMN / 2.0, top + LINE / 2.0);
    let line = |width: f64, path: String| {
        format!("<path d=\"{path}\" fill=\"none\" stroke=\"INK\" stroke-width=\"{width}\"/>\n")
    };
    let dot = |radius: f64| format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"INK\"/>\n");
    let bar = |opacity: f64| {
        let (y, width, height) = (top + 3.0, right - left, LINE - 6.0);
        format!(
            "<rect x=\"{left}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"INK\" opacity=\"{opacity}\"/>\n"
        )
    };
    Some(match character {
        '─' => line(1.0, format!("M{left} {y}H{right}")),
        '━' => line(2.0, format!("M{left} {y}H{right}")),
        '│' => line(1.0, format!("M{x} {top}V{bottom}")),
        '╭' => line(1.0, format!("M{x} {bottom}V{}Q{x} {y} {right} {y}", y + 4.0)),
        '╮' => line(1.0, format!("M{x} {bottom}V{}Q{x} {y} {left} {y}", y + 4.0)),
        '╰' => line(1.0, format!("M{x} {top}V{}Q{x} {y} {right} {y}", y - 4.0)),
        '╯' => line(1.0, format!("M{x} {top}V{}Q{x} {y} {left} {y}", y - 4.0)),
        '├' => line(1.0, format!("M{x} {top}V{bottom}M{x} {y}H{right}")),
        '┤' => line(1.0, format!("M{x} {top}V{bottom}M{x} {y}H{left}")),
        '●' => dot(3.4),
        '·' => dot(1.2),
        '█' => bar(1.0),
        '▒' => bar(0.45),
        _ => return None,
    })
}

/// A word, stretched to its columns.
fn written(word: &str, left: f64, top: f64, length: usize, paint: Paint) -> String {
    let (baseline, width) = (top + 13.0, length as f64 * COLUMN);
    let weight = if paint.bold { " font-weight=\"bold\"" } else { "" };
    let colour = paint.colour;
    let mut text = String::new();
    for character in word.chars() {
        match character {
            '<' => text.push_str("&lt;"),
            '&' => text.push_str("&amp;"),
            other => text.push(other),
        }
    }
    let mut element = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        element,
        "<text x=\"{left}\" y=\"{baseline}\" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\" \
         fill=\"{colour}\"{weight}>{text}</text>"
    );
    element
}
