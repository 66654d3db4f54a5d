#!/usr/bin/env python3
"""Recomputes what a network file claims about a table, independently of the library.

    oracle.py NET.json DATA [--transpose] [--gamma G] [--penalty P] [--per-variable]
              [--interventions COLUMN] [--weights COLUMN]

Prints one JSON object: instances, variables, hidden, edges, dimension, and, if they can be computed
exactly (complete data, or only linear densities with missing values or hidden variables),
log_likelihood, bic, ebic, ebic_calibrated and aic. Not for networks through time.

Needs only numpy. DATA is TSV or CSV, possibly gzipped, with a header line; empty cells, NA, NaN,
null and dots are missing values. Only the network's variables are read. Factors, splines, Student
noise, per-variable transforms, row weights and perfect interventions (a column that names the
variables set in a row, separated by ;) need complete data. The price of a parameter is log(M_j)/2,
where M_j is the (weighted) number of rows of its family.
"""
import argparse, csv, gzip, json, math, sys
import numpy as np

MISSING = {"", "na", "nan", "null", "."}
ANNOTATION = {"NAME", "GWEIGHT", "GID", "GORDER"}


def number(cell):
    cell = cell.strip()
    if cell.lower() in MISSING:
        return math.nan
    if "_" in cell:
        raise ValueError(f"{cell!r} is not a number")
    value = float(cell)
    if math.isinf(value):
        raise ValueError("infinite value")
    return value


def parses(cell):
    try:
        return not math.isnan(number(cell))
    except ValueError:
        return False


def read_cells(path):
    """Header and rows as text."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="", encoding="utf-8-sig") as f:
        sep = "," if path.removesuffix(".gz").endswith(".csv") else "\t"
        rows = [r for r in csv.reader(f, delimiter=sep) if any(c.strip() for c in r)]
    return rows[0], rows[1:]


def read_mixed(path, net):
    """As read_table, by the network's own columns: factors become level numbers (NaN: a level the
    network lacks).
    """
    head, body = read_cells(path)
    levels = {v["name"]: v["levels"] for v in net["variables"] if v.get("kind") == "factor"}
    names = [v["name"] for v in net["variables"] if not v.get("hidden")]
    columns = []
    for name in names:
        cells = [r[head.index(name)] for r in body]
        if name in levels:
            cells = ["" if c.strip().lower() in MISSING else c for c in cells]
            columns.append([levels[name].index(c) if c in levels[name] else math.nan for c in cells])
        else:
            columns.append([number(c) for c in cells])
    return names, np.array(columns, float).T


def read_table(path, transpose=False):
    """Names of the variables and an instances x variables matrix, NaN where missing."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="", encoding="utf-8-sig") as f:
        sep = "," if path.removesuffix(".gz").endswith(".csv") else "\t"
        rows = [r for r in csv.reader(f, delimiter=sep) if any(c.strip() for c in r)]
    head, body = rows[0], [r for r in rows[1:] if r[0] not in ("EWEIGHT", "AID")]
    if len(head) == len(body[0]) - 1:  # R style: no heading over the row names
        head = [""] + head
    first = [r[0] for r in body]
    labelled = head[0] == "" or not any(parses(c) for c in first if c.strip().lower() not in MISSING)
    keep = [j for j in range(1 if labelled else 0, len(head)) if head[j] not in ANNOTATION]
    values = np.array([[number(r[j]) for j in keep] for r in body])
    names = first if transpose else [head[j] for j in keep]
    if len(set(names)) != len(names):
        raise ValueError("duplicate variable names")
    return names, values.T if transpose else values


def natural_spline(knots, values, x):
    """The natural cubic spline through (knots, values), straight beyond the ends."""
    t, y = np.array(knots, float), np.array(values, float)
    h, n = np.diff(t), len(t)
    second = np.zeros(n)
    if n > 2:
        a = np.diag((h[:-1] + h[1:]) / 3) + np.diag(h[1:-1] / 6, 1) + np.diag(h[1:-1] / 6, -1)
        second[1:-1] = np.linalg.solve(a, np.diff(np.diff(y) / h))
    i = np.clip(np.searchsorted(t, x) - 1, 0, n - 2)
    inside = np.clip(x, t[0], t[-1])
    u, v = (t[i + 1] - inside) / h[i], (inside - t[i]) / h[i]
    out = u * y[i] + v * y[i + 1] + ((u**3 - u) * second[i] + (v**3 - v) * second[i + 1]) * h[i] ** 2 / 6
    left = (y[1] - y[0]) / h[0] - h[0] * second[1] / 6
    right = (y[-1] - y[-2]) / h[-1] + h[-1] * second[-2] / 6
    return out + np.where(x < t[0], (x - t[0]) * left, 0) + np.where(x > t[-1], (x - t[-1]) * right, 0)


def mean_of(cpd, parents, levels=None, names=None):
    """Conditional mean of a family for every instance; parents is instances x k (factors: level
    numbers).
    """
    kind = cpd["type"]
    if kind == "additive":
        out = np.full(len(parents), float(cpd["intercept"]))
        for term in cpd["terms"]:
            x = parents[:, names.index(term["parent"])]
            if term["kind"] == "linear":
                out += term["weight"] * x
            elif term["kind"] == "spline":
                out += natural_spline(term["knots"], term["values"], x)
            else:
                out += np.array([term["weights"][level] for level in levels[term["parent"]]])[x.astype(int)]
        return out
    if cpd.get("shifts"):
        shift = np.zeros(len(parents))
        factors = [s["parent"] for s in cpd["shifts"]]
        for s in cpd["shifts"]:
            per_level = np.array([s["weights"][level] for level in levels[s["parent"]]])
            shift += per_level[parents[:, names.index(s["parent"])].astype(int)]
        rest = [i for i, p in enumerate(names) if p not in factors]
        return shift + mean_of({**cpd, "shifts": []}, parents[:, rest])
    if kind == "linear":
        return cpd["intercept"] + parents @ np.array(cpd["weights"], float)
    if kind == "sigmoid":
        eta = cpd.get("bias", 0.0) + parents @ np.array(cpd["weights"], float)
        return cpd["offset"] + cpd["scale"] / (1 + np.exp(-np.clip(eta, -700, 700)))
    if kind == "product":
        out = np.ones(len(parents))
        for j, f in enumerate(cpd["factors"]):
            y = f["weight"] * parents[:, j]
            out *= y / (1 + y) if f["kind"] == "activator" else 1 / (1 + y)
        return cpd["offset"] + cpd["scale"] * out
    raise ValueError(f"unknown cpd type {kind}")


def dimension(family, hidden, options):
    """Free parameters of a family."""
    cpd, k = family["cpd"], len(family["parents"])
    if family.get("inactive"):
        return 0
    if hidden:
        return k
    extra = bool(cpd.get("noise"))  # Student: degrees of freedom are chosen
    if cpd["type"] == "additive":
        columns = {"linear": lambda t: 1, "spline": lambda t: len(t["knots"]) - 1, "factor": lambda t: len(t["weights"]) - 1}
        return 2 + extra + sum(columns[t["kind"]](t) for t in cpd["terms"])
    shifts = cpd.get("shifts", [])
    extra += sum(len(s["weights"]) - 1 for s in shifts)
    k -= len(shifts)
    if k == 0 or cpd["type"] == "linear":
        return k + 2 + extra
    if cpd["type"] == "sigmoid":
        return k + 3 + bool(options.get("bias")) + extra
    return k + 2 + bool(options.get("baseline")) + extra


def parent_columns(family):
    """How many columns each parent brings."""
    cpd = family.get("cpd", {})
    if cpd.get("type") == "additive":
        columns = {"linear": lambda t: 1, "spline": lambda t: len(t["knots"]) - 1, "factor": lambda t: len(t["weights"]) - 1}
        return [columns[t["kind"]](t) for t in cpd["terms"]]
    shifts = {s["parent"]: len(s["weights"]) - 1 for s in cpd.get("shifts", [])}
    return [shifts.get(p, 1) for p in family["parents"]]


def ebic_price(family, dim, m, n, gamma, penalty, environment):
    """Parents pay more if instances are few; the other parameters pay log(m)/2 each."""
    free = dict(zip([t["parent"] for t in family["cpd"]["terms"]] if family["cpd"]["type"] == "additive" else family["parents"], parent_columns(family)))
    searched = sorted(d for p, d in free.items() if p != environment)
    k = free.get(environment, 0)
    total = penalty * 0.5 * math.log(m) * (dim - sum(searched))
    for d in searched:
        rest = m - k - d / 2 - 2
        if rest <= 0:
            return math.inf
        total += (penalty * d / 2 * math.log(m) + gamma * math.log(n)) * m / rest
        k += d
    return total


def order(families):
    """Variables in topological order; raises on a cycle."""
    parents = {f["variable"]: list(f["parents"]) for f in families}
    done, out = set(), []
    while len(out) < len(parents):
        ready = [v for v in parents if v not in done and all(p in done for p in parents[v])]
        if not ready:
            raise ValueError("the network has a cycle")
        done.update(ready)
        out += ready
    return out


def gaussian(net):
    """Names in topological order, mean vector and covariance of an all-linear network."""
    families = {f["variable"]: f for f in net["families"]}
    names = order(net["families"])
    at = {v: i for i, v in enumerate(names)}
    n = len(names)
    b, t, d = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for v in names:
        c, parents = families[v]["cpd"], families[v]["parents"]
        if len(parents) != len(c["weights"]):
            raise ValueError(f"{v}: {len(parents)} parents but {len(c['weights'])} weights")
        t[at[v]], d[at[v]] = c["intercept"], c["variance"]
        for p, w in zip(parents, c["weights"]):
            b[at[v], at[p]] = w
    inverse = np.linalg.inv(np.eye(n) - b)
    return names, inverse @ t, inverse @ np.diag(d) @ inverse.T


def marginal(net, names, data):
    """Exact log-likelihood of the observed entries under an all-linear network."""
    topological, mu, cov = gaussian(net)
    col = {v: i for i, v in enumerate(names)}
    idle = {f["variable"] for f in net["families"] if f.get("inactive")}
    here = [i for i, v in enumerate(topological) if v in col and v not in idle]
    x = data[:, [col[topological[i]] for i in here]]
    mu, cov = mu[here], cov[np.ix_(here, here)]
    total, patterns = 0.0, {}
    for i, row in enumerate(~np.isnan(x)):
        patterns.setdefault(row.tobytes(), []).append(i)
    for rows in patterns.values():
        seen = ~np.isnan(x[rows[0]])
        if not seen.any():
            continue
        low = np.linalg.cholesky(cov[np.ix_(seen, seen)])
        z = np.linalg.solve(low, (x[np.ix_(rows, seen)] - mu[seen]).T)
        total -= 0.5 * (z**2).sum() + len(rows) * (0.5 * seen.sum() * math.log(2 * math.pi) + np.log(np.diag(low)).sum())
    return float(total)


TRANSFORMS = {"log": np.log, "log1p": np.log1p, "asinh": np.arcsinh, "exp2": np.exp2}


def transformed(variable, x):
    """A column in the units the network was learned in."""
    t = variable.get("transform")
    if not t or t == "none":
        return x
    if isinstance(t, str):
        return TRANSFORMS[t](x)
    return np.interp(x, t["from"], t["to"])  # ranks: a table of values and scores


def log_density(r, cpd):
    v, noise = cpd["variance"], cpd.get("noise")
    if not noise:
        return -0.5 * (math.log(2 * math.pi * v) + r * r / v)
    nu = noise["df"]  # variance holds the squared scale
    constant = math.lgamma((nu + 1) / 2) - math.lgamma(nu / 2) - 0.5 * math.log(nu * math.pi * v)
    return constant - (nu + 1) / 2 * np.log1p(r * r / (nu * v))


def evaluate(net, names, data, per_variable=False, gamma=None, penalty=1.0, targets=None, weights=None):
    order(net["families"])
    options = net.get("provenance", {}).get("options", {})
    variables = {v["name"]: v for v in net["variables"]}
    hidden = {v["name"] for v in net["variables"] if v.get("hidden")}
    levels = {v["name"]: v["levels"] for v in net["variables"] if v.get("kind") == "factor"}
    environment = options.get("environment")
    if gamma is None:
        gamma = (net.get("score") or {}).get("gamma", 1.0)
    column = {v: i for i, v in enumerate(names)}
    names = [v["name"] for v in net["variables"] if v["name"] not in hidden]
    data = data[:, [column[v] for v in names]].copy()
    if net.get("transform") == "exp2":
        data = np.exp2(data)
    for i, v in enumerate(names):
        data[:, i] = transformed(variables[v], data[:, i])
    col = {v: i for i, v in enumerate(names)}
    active = [f for f in net["families"] if not f.get("inactive") and f["variable"] not in levels]
    weights = np.ones(len(data)) if weights is None else np.asarray(weights, float)
    m = float(weights[(~np.isnan(data)).any(1)].sum())
    n = sum(f["variable"] not in hidden for f in active) + sum(f not in (environment,) for f in levels)
    dims = {f["variable"]: dimension(f, f["variable"] in hidden, options) for f in net["families"] if f["variable"] not in levels}
    dim = sum(dims.values())
    edges = sum(p != environment for f in net["families"] for p in f["parents"])
    out = {"instances": int(m) if m == int(m) else m, "variables": len(names), "hidden": len(hidden), "edges": edges, "dimension": dim}
    each, price, calibrated = {}, 0.0, 0.0
    if not hidden and not np.isnan(data[:, [col[f["variable"]] for f in active]]).any():
        for f in active:
            used = np.ones(len(data), bool) if targets is None else np.array([f["variable"] not in t for t in targets])
            parents = data[:, [col[p] for p in f["parents"]]]
            r = data[:, col[f["variable"]]] - mean_of(f["cpd"], parents, levels, list(f["parents"]))
            each[f["variable"]] = float((weights * log_density(r, f["cpd"]))[used].sum())
            mj = weights[used].sum()
            price += 0.5 * math.log(mj) * dims[f["variable"]]
            calibrated += ebic_price(f, dims[f["variable"]], mj, n, gamma, penalty, environment)
        out["log_likelihood"] = sum(each.values())
    elif all(f["cpd"]["type"] == "linear" for f in net["families"]):
        out["log_likelihood"] = marginal(net, names, data)
        price = 0.5 * math.log(m) * dim
        calibrated = sum(ebic_price(f, dims[f["variable"]], m, n, gamma, penalty, environment) for f in active)
    if "log_likelihood" in out:
        out["bic"] = out["log_likelihood"] - penalty * price
        out["ebic_calibrated"] = out["log_likelihood"] - calibrated
        out["ebic"] = out["bic"] - gamma * edges * math.log(n)
        out["aic"] = out["log_likelihood"] - penalty * dim
    if per_variable:
        out["per_variable"] = each
    return out


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("net")
    a.add_argument("data")
    a.add_argument("--transpose", action="store_true")
    a.add_argument("--gamma", type=float, help="default: the network's own, else 1")
    a.add_argument("--penalty", type=float, default=1.0)
    a.add_argument("--per-variable", action="store_true")
    a.add_argument("--interventions")
    a.add_argument("--weights")
    a = a.parse_args()
    with open(a.net) as f:
        network = json.load(f)
    targets = row_weights = None
    if a.interventions or a.weights or any(v.get("kind") == "factor" for v in network["variables"]):
        header, matrix = read_mixed(a.data, network)
        head, body = read_cells(a.data)
        if a.interventions:
            targets = [{t for t in r[head.index(a.interventions)].split(";") if t} for r in body]
        if a.weights:
            row_weights = [float(r[head.index(a.weights)]) for r in body]
    else:
        try:
            header, matrix = read_table(a.data, a.transpose)
        except ValueError:  # text columns that are not in the network
            header, matrix = read_mixed(a.data, network)
    json.dump(evaluate(network, header, matrix, a.per_variable, a.gamma, a.penalty, targets, row_weights), sys.stdout, indent=1)
    print()
