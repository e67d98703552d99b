//! Output of a plan for people, programs and spreadsheets.

use numasim_plan::{Fault, File, Lines, Pattern, Plan, analyse};

use numasim_ask::plan::{ProfilePlan, of_profile};
use numasim_ask::table;

use super::super::Style;

/// `main` creates two blocks and two workers; the first is faster near block 0, the second needs both equally.
fn plan() -> Plan {
    let text = |file: File| match file {
        File::Meta => "2\n",
        File::Edt => "0;main/0\n1;work/2\n2;work/2\n",
        File::New => "0;0;1\n0;1;2\n",
        File::Dbs => "0;;;4000000;0;0\n1;;;12000000;0;1\n",
        File::Acc => "work/2;;1;0;;;0\nwork/2;;1;1;;;1\nwork/2;;2;0;;;0\nwork/2;;2;1;;;1\n",
        File::Raw => {
            "main/0;;0;full;-;0.5\nwork/2;;1;numa_fixed;0;1\nwork/2;;1;numa_fixed;1;2\n\
             work/2;;1;full;-;1.25\nwork/2;;2;numa_fixed;0;1\nwork/2;;2;numa_fixed;1;1\nwork/2;;2;full;-;1\n"
        }
        _ => "",
    };
    let feed = |file: File, each: Lines<'_>| {
        (1..).zip(text(file).lines()).try_for_each(|(line, text)| each(line, text))
    };
    analyse::<Fault>(Pattern::Block, feed).expect("a profile")
}

#[test]
fn a_table_says_what_each_node_gets() {
    insta::assert_snapshot!(super::table(&plan(), &Style::default()));
}

#[test]
fn the_document_has_the_keys_of_the_contract() {
    assert_eq!(
        numasim_ask::document::text(&ProfilePlan::from(&plan())),
        "{\"schema\":1,\"command\":\"plan\",\"pattern\":\"block\",\"nodes\":2,\"tasks\":3,\"classes\":3,\
         \"no_opinion\":1,\"blocks\":2,\"block_classes\":2}"
    );
}

#[test]
fn a_spreadsheet_has_a_row_for_each_class() {
    let plan = plan();
    assert_eq!(
        table::csv(&of_profile(&plan), plan.planned()),
        "class,template,node,tasks,work_s\n0,main/0,,1,0.5\n1,work/2,0,1,1.25\n2,work/2,1,1,1\n"
    );
}
