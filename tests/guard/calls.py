"""Calls of the Python package for the guard. Prints one line of JSON per call."""

import json

import idealparent as ip


def say(name, value):
    print(json.dumps({name: value}, sort_keys=True))


cells = ip.example("sachs")
net = ip.learn(cells)
say("edges", net.edges)
say("score", net.score)
say("parents", net.parents("Raf"))
say("log_likelihood", net.log_likelihood(cells))
say("sample", [list(row) for row in net.sample(3, seed=1).to_numpy().tolist()])
say("predict", net.predict(cells, "Akt").to_numpy()[:5].tolist())
say("greedy", ip.learn(cells, method="greedy", score="bic", search="hill").edges)
say("sigmoid", ip.learn(cells, cpd="sigmoid", search="hill").score)
say("required", ip.learn(cells, require=[("Raf", "Akt")], max_parents=2).edges)
holes = ip.example("ecoli70-holes")
say("holes", ip.learn(holes, search="hill").score)
say("cv", [dict(row, seconds=0) for row in ip.cross_validate(cells, methods=["greedy", "ideal:k=1"], folds=3).to_pandas().to_dict("records")])
say("bootstrap", ip.bootstrap(cells, n=10, seed=2).to_pandas().to_dict("records"))
say("rank", ip.rank_parents(cells, "Jnk", parents=["PKC"]).to_dict("records"))
say("compare", ip.compare(net, ip.learn(cells, score="bic")))
say("hidden", ip.learn(ip.example("twolayer"), hidden=2, two_layer=True).score)
say("fit", ip.fit(net.edges, cells, cpd="sigmoid").score)
say("dot", net.to_dot())
