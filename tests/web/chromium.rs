//! A page with an added test script, and the output of the script.
//!
//! The script runs when the page is ready. It waits with `until` and sends JSON with `tell`; its last message closes the browser. The
//! page's policy is unchanged except for the one added script.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// Longer than any test takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

const TOLD: &str = "NUMASIM-TOLD ";

/// Closes the browser even if a test fails.
struct Browser(Child);

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The page with the script: the hashes in its policy are replaced by permission for inline code.
fn with_script(page: &str, script: &str) -> String {
    let (before, rest) = page.split_once("Content-Security-Policy\" content=\"").expect("a policy");
    let (policy, rest) = rest.split_once('"').expect("a whole policy");
    let words = policy.split(' ');
    let words = words.map(|word| if word.starts_with("'sha256-") { "'unsafe-inline'" } else { word });
    let before =
        format!("{before}Content-Security-Policy\" content=\"{}\"", words.collect::<Vec<_>>().join(" "));
    let harness = format!(
        "<script>(async () => {{ const until = async (is) => {{ while (!is()) await new Promise((go) => setTimeout(go, 20)); }};\
         const by = (id) => document.getElementById(id);\
         const tell = (what) => {{ for (const part of encodeURIComponent(JSON.stringify(what)).match(/.{{1,20000}}/g)) console.log('{TOLD}' + part);\
         console.log('{TOLD}.'); }};\
         const set = (id, value, event) => {{ by(id).value = value; by(id).dispatchEvent(new Event(event ?? 'input', {{ bubbles: true }})); }};\
         try {{ await until(() => document.body.dataset.ready || by('trouble')?.childElementCount || document.querySelector('.interactive')); {script} }}\
         catch (error) {{ tell({{ failed: String(error.stack) }}); }} }})();</script></body>"
    );
    let (body, end) = rest.rsplit_once("</body>").expect("a body");
    format!("{before}{body}{harness}{end}")
}

/// The messages of the script, and all other console output.
pub(super) fn told(page: &str, hash: &str, script: &str) -> (Value, Vec<String>) {
    told_on(Paper::Light, page, hash, script)
}

/// The colour scheme that the reader prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paper {
    Light,
    Dark,
}

/// The same on light or dark paper.
pub(super) fn told_on(paper: Paper, page: &str, hash: &str, script: &str) -> (Value, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("page.html");
    fs::write(&file, with_script(page, script)).expect("a file for the test");
    let mut browser = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--v=0", "--window-size=1280,900"])
        .args((paper == Paper::Dark).then_some("--blink-settings=preferredColorScheme=0"))
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}{hash}", file.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("chromium starts");
    let lines = BufReader::new(browser.stderr.take().expect("a pipe")).lines();
    let _browser = Browser(browser);
    let (send, receive) = mpsc::channel();
    thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| send.send(line)));
    let (mut text, mut console) = (String::new(), Vec::new());
    loop {
        let line = receive.recv_timeout(PATIENCE).expect("the page tells something in time");
        let Some((_, part)) = line.split_once(TOLD) else {
            console.extend(line.contains("CONSOLE").then_some(line));
            continue;
        };
        let part = part.split('"').next().unwrap_or_default();
        if part == "." {
            break;
        }
        text.push_str(part);
    }
    let told: Value = serde_json::from_str(&decoded(&text)).expect("JSON");
    assert!(told.get("failed").is_none(), "{told}");
    (told, console)
}

/// Decodes the output of `encodeURIComponent`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16)).unwrap_or(0);
                u8::try_from(digit() * 16 + digit()).expect("two digits")
            }
            other => other,
        });
    }
    String::from_utf8(bytes).expect("UTF-8")
}
