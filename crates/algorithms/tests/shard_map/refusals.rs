//! What cannot be, by name.

use std::collections::{BTreeMap, BTreeSet};

use placelab_algorithms::shard_map::{Infeasible, Rules, Shard, ShardMap, Solution, Spread, solve};
use placelab_core::{Change, NodeId};

use crate::{domain, fresh, shards, zoned};

#[test]
fn what_cannot_be_is_named() {
    let mut few = shards(3);
    few.iter_mut().take(2).for_each(|shard| shard.label = Some("eu".into()));
    let rules = Rules {
        residency: BTreeMap::from([("eu".into(), BTreeSet::from([domain("zone-0")]))]),
        ..Rules::default()
    };
    let before = fresh(&zoned(2, 2), &few, &rules).unwrap().map;
    let without = zoned(2, 2).after(&[Change::Remove(NodeId(0))]).unwrap();
    let said = |result: Result<Solution, Infeasible>| result.unwrap_err().to_string();
    assert_eq!(
        said(solve(&without, &few, &rules, &before)),
        "residency: 2 shards (`s0`, `s1`) with label `eu` need 1 of the nodes that are allowed, \
         and 0 have a node of positive weight"
    );
    let spread = Rules { copies: 3, spread: Spread::Zones, ..Rules::default() };
    assert_eq!(
        said(fresh(&zoned(4, 2), &few, &spread)),
        "spread: 3 copies of each shard need as many zones, and there are 2"
    );
    let full =
        Rules { capacity: BTreeMap::from([(NodeId(0), 1), (NodeId(1), 1)]), ..Rules::default() };
    assert_eq!(
        said(fresh(&zoned(2, 2), &few, &full)),
        "capacity: no room for another copy of shard `s2`: `node-0`, `node-1` hold the 2 copies \
         that they can"
    );
    let full = Rules { residency: rules.residency.clone(), ..full };
    assert_eq!(
        said(fresh(&zoned(2, 2), &few, &full)),
        "capacity: no room for another copy of shard `s1` (residency in `zone-0`): `node-0` hold \
         the 1 copies that they can"
    );
    let other = solve(&zoned(2, 2), &few, &Rules::default(), &ShardMap::empty(4, 1));
    assert_eq!(
        said(other),
        "the map before is of 4 shards of 1 copies, and 3 shards of 1 copies are asked for"
    );
}

#[test]
fn tenants_that_cannot_be_together_are_named() {
    let said = |result: Result<Solution, Infeasible>| result.unwrap_err().to_string();
    let tenant = |label: &str| Shard {
        name: label.into(),
        label: Some(label.into()),
        tenant: Some("acme".into()),
    };
    let apart = Rules {
        together: true,
        residency: ["a", "b"]
            .map(|label| {
                (
                    label.to_string(),
                    BTreeSet::from([domain(&format!("zone-{}", usize::from(label == "b")))]),
                )
            })
            .into(),
        ..Rules::default()
    };
    assert_eq!(
        said(fresh(&zoned(2, 2), &[tenant("a"), tenant("b")], &apart)),
        "together: the labels of tenant `acme` have too few nodes in common"
    );
    let packed = |tenant: &str, count: usize| {
        let shard = Shard { name: tenant.into(), label: None, tenant: Some(tenant.into()) };
        vec![shard; count]
    };
    let tight = Rules {
        together: true,
        capacity: BTreeMap::from([(NodeId(0), 5), (NodeId(1), 5)]),
        ..Rules::default()
    };
    assert_eq!(
        said(fresh(
            &zoned(2, 2),
            &[packed("a", 4), packed("b", 3), packed("c", 3)].concat(),
            &tight
        )),
        "together: tenant `c` needs room for 3 copies on one node, and the most that was found is \
         2; the search is no proof that there is no way"
    );
}
