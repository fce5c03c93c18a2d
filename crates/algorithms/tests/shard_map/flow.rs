//! The slow twin: a minimum-cost flow over every shard, domain and node, by Bellman and Ford.

/// A flow network with unit supplies.
#[derive(Default)]
pub(crate) struct Network {
    /// From, to, what still fits, cost; each edge before its reverse.
    edges: Vec<(usize, usize, i64, i64)>,
    vertices: usize,
}

impl Network {
    pub(crate) fn vertex(&mut self) -> usize {
        self.vertices += 1;
        self.vertices - 1
    }

    pub(crate) fn edge(&mut self, from: usize, to: usize, room: i64, cost: i64) {
        self.edges.push((from, to, room, cost));
        self.edges.push((to, from, 0, -cost));
    }

    /// The least cost of so many units from one vertex to another; nothing where they do not fit.
    pub(crate) fn least(mut self, source: usize, sink: usize, units: u64) -> Option<u64> {
        let mut total = 0;
        for _ in 0..units {
            let mut cost = vec![i64::MAX; self.vertices];
            let mut by = vec![usize::MAX; self.vertices];
            cost[source] = 0;
            for _ in 0..self.vertices {
                for (at, &(from, to, room, each)) in self.edges.iter().enumerate() {
                    if room > 0 && cost[from] < i64::MAX && cost[from] + each < cost[to] {
                        (cost[to], by[to]) = (cost[from] + each, at);
                    }
                }
            }
            if cost[sink] == i64::MAX {
                return None;
            }
            total += cost[sink];
            let mut to = sink;
            while to != source {
                self.edges[by[to]].2 -= 1;
                self.edges[by[to] ^ 1].2 += 1;
                to = self.edges[by[to]].0;
            }
        }
        Some(total as u64)
    }
}
