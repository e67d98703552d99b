//! One node of a thread map: its cores and its memory.

use super::layout::{BAR, DATA, INSIDE, LINE, Layout, MOST_CIRCLES, TAG, tag_width, tags};
use super::{BORDER, FULL, MapNode, ThreadMap, USED};
use crate::canvas::{At, Canvas, Font, Place, SMALL, Stroke};
use crate::metrics;
use crate::palette::{Colour, FAINT_TEXT, PAPER, TEXT, fill_colour, text_on};

/// Border of what is filled.
const EDGE: Colour = Colour(60, 60, 60);

pub(super) fn draw(
    canvas: &mut Canvas,
    map: &ThreadMap,
    layout: &Layout,
    number: usize,
    node: &MapNode,
    place: Place,
) {
    canvas.rect(place, 9.0, Some(PAPER), Some(Stroke::new(BORDER, 1.5)));
    let left = place.x + INSIDE;
    let inner = place.width - 2.0 * INSIDE;
    let memory_height = BAR + LINE + (TAG + 4.0) * layout.tag_lines as f64;
    // Memories are where the links are: below in the upper row, above in the lower one.
    let (name, cores, memory) = if layout.is_upper(number) {
        let name = place.y + INSIDE;
        let cores = name + LINE;
        (name, cores, place.bottom() - INSIDE - memory_height)
    } else {
        let memory = place.y + INSIDE;
        let cores = memory + memory_height + 8.0;
        (cores + layout.cores_height, cores, memory)
    };

    let middle = name + LINE / 2.0 + if layout.is_upper(number) { -2.0 } else { 4.0 };
    canvas.text(left, middle, &format!("node {number}"), Font::new(SMALL).bold());
    let what = match node.cores {
        0 => "memory only".to_owned(),
        1 => "1 core".to_owned(),
        cores => format!("{cores} cores"),
    };
    let faint = Font::end(SMALL).colour(FAINT_TEXT);
    canvas.text(left + inner, middle, &what, faint);

    let most = map.nodes.iter().map(|node| node.cores).max().unwrap_or(0);
    if most <= MOST_CIRCLES {
        draw_circles(canvas, map, layout, node, (left, cores, inner));
    } else {
        draw_shares(canvas, map, node, (left, cores, inner));
    }
    draw_memory(canvas, node, (left, memory, inner));
    let tags = tags(&node.data, inner);
    if !tags.is_empty() {
        let y = memory + BAR + LINE + TAG / 2.0;
        canvas.text(left, y, DATA, Font::new(SMALL).colour(FAINT_TEXT));
    }
    for (data, (line, x)) in node.data.iter().zip(tags) {
        let top = memory + BAR + LINE + (TAG + 4.0) * line as f64;
        let place = Place::new(left + x, top, TAG, TAG);
        draw_tag(canvas, map, data.app, place);
        if let Some(part) = &data.part {
            canvas.text(left + x + tag_width(data), top + TAG / 2.0, part, Font::end(SMALL));
        }
    }
}

/// A circle for each core: those of one application side by side, then the idle ones.
fn draw_circles(
    canvas: &mut Canvas,
    map: &ThreadMap,
    layout: &Layout,
    node: &MapNode,
    (left, top, inner): (f64, f64, f64),
) {
    let busy = node.threads.iter().flat_map(|&(app, count)| (0..count).map(move |_| Some(app)));
    let cores = busy.chain(std::iter::repeat(None)).zip(0..node.cores);
    let start = left + (inner - (f64::from(layout.columns) * layout.pitch - 3.0)) / 2.0;
    for (app, i) in cores {
        let (row, column) = (i / layout.columns, i % layout.columns);
        let x = start + layout.radius + f64::from(column) * layout.pitch;
        let y = top + layout.pitch / 2.0 + f64::from(row) * layout.pitch;
        match app {
            Some(app) => draw_thread(canvas, map, app, (x, y), layout.radius),
            None => draw_idle(canvas, (x, y), layout.radius),
        }
    }
}

/// A thread: a circle with the colour and the letter of its application.
pub(super) fn draw_thread(canvas: &mut Canvas, map: &ThreadMap, app: usize, at: At, radius: f64) {
    let colour = fill_colour(app);
    canvas.circle(at, radius - 0.5, Some(colour), Some(Stroke::new(EDGE, 1.0)));
    write_letter(canvas, map, app, at, 1.5 * radius);
}

/// A core without a thread.
pub(super) fn draw_idle(canvas: &mut Canvas, at: At, radius: f64) {
    canvas.circle(at, radius - 1.0, Some(PAPER), Some(Stroke::new(BORDER, 1.0)));
}

/// Data: a square with the colour and the letter of its application.
pub(super) fn draw_tag(canvas: &mut Canvas, map: &ThreadMap, app: usize, place: Place) {
    canvas.rect(place.inset(0.5), 2.0, Some(fill_colour(app)), Some(Stroke::new(EDGE, 1.6)));
    write_letter(canvas, map, app, place.middle(), 0.8 * place.width);
}

/// The letter in a width of `room`.
fn write_letter(canvas: &mut Canvas, map: &ThreadMap, app: usize, (x, y): (f64, f64), room: f64) {
    let letter = map.apps.get(app).map_or("", |app| app.letter.as_str());
    let size = (0.78 * room).min(room / (0.78 * letter.chars().count().max(1) as f64)).min(12.5);
    let font = Font::middle(size).colour(text_on(fill_colour(app))).bold();
    canvas.text(x, y, letter, font);
}

/// On a node of many cores: one bar for each application, as long as its share of the cores.
fn draw_shares(canvas: &mut Canvas, map: &ThreadMap, node: &MapNode, (left, top, inner): (f64, f64, f64)) {
    let digits = node.cores.to_string();
    let text = metrics::width(&digits, SMALL) + 6.0;
    let room = inner - TAG - 6.0 - text;
    for (i, &(app, count)) in node.threads.iter().enumerate() {
        let y = top + LINE * i as f64;
        let middle = y + LINE / 2.0;
        draw_thread(canvas, map, app, (left + TAG / 2.0, middle), TAG / 2.0);
        let share = f64::from(count) / f64::from(node.cores.max(1));
        let bar = Place::new(left + TAG + 6.0, y + 4.0, room, LINE - 8.0);
        canvas.filled(Place::new(bar.x, bar.y, share * room, bar.height), fill_colour(app));
        canvas.border(bar, Stroke::new(BORDER, 1.0));
        canvas.text(left + inner, middle, &count.to_string(), Font::end(SMALL));
    }
}

/// How busy the memory is: what its own node reads, what others read, what is left.
fn draw_memory(canvas: &mut Canvas, node: &MapNode, (left, top, inner): (f64, f64, f64)) {
    let share = |gbs: f64| if node.has_memory() { (gbs / node.capacity_gbs).clamp(0.0, 1.0) } else { 0.0 };
    let used = node.used_gbs.unwrap_or(0.0);
    let local = inner * share(used - node.remote_gbs);
    let remote = inner * share(node.remote_gbs);
    own_memory(canvas, Place::new(left, top, local, BAR));
    remote_memory(canvas, Place::new(left + local, top, remote, BAR));
    canvas.border(Place::new(left, top, inner, BAR), Stroke::new(BORDER, 1.0));
    let font = Font::middle(SMALL);
    let font = if node.is_full() { font.bold().colour(FULL) } else { font.colour(TEXT) };
    canvas.text(left + inner / 2.0, top + BAR + LINE / 2.0, &node.memory_text(), font);
}

/// Memory that is read by its own node.
pub(super) fn own_memory(canvas: &mut Canvas, place: Place) {
    if place.width > 0.0 {
        canvas.filled(place, OWN);
    }
}

/// Memory that is read by other nodes.
pub(super) fn remote_memory(canvas: &mut Canvas, place: Place) {
    if place.width > 0.0 {
        canvas.filled(place, REMOTE);
        canvas.hatch(place, 5.0, Stroke::new(USED, 1.0));
    }
}

const OWN: Colour = Colour(125, 125, 125);
const REMOTE: Colour = Colour(214, 232, 244);
