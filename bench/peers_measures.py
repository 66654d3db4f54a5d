"""Measures of learned structures for bench/peers.py, computed in the same way for all programs.

A structure is a list of pairs (parent, child) of column numbers. Needs numpy.
"""
import csv
import json

import numpy as np


def read_table(path):
    """Names and values of a TSV table of numbers."""
    with open(path, encoding="utf-8") as file:
        names = next(csv.reader(file, delimiter="\t"))
        return names, np.loadtxt(file, delimiter="\t", ndmin=2)


def read_edges(path, names):
    """The edges in a table with the columns from and to. Other columns are ignored."""
    place = {name: i for i, name in enumerate(names)}
    with open(path, encoding="utf-8", newline="") as file:
        return [(place[row["from"]], place[row["to"]]) for row in csv.DictReader(file, delimiter="\t")]


def network_edges(path, names):
    """The edges of a network file of idealparent."""
    place = {name: i for i, name in enumerate(names)}
    with open(path, encoding="utf-8") as file:
        families = json.load(file)["families"]
    return [(place[parent], place[family["variable"]]) for family in families for parent in family["parents"]]


def write_edges(path, edges, names):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([("from", "to"), *((names[a], names[b]) for a, b in edges)])


def parents_of(n, edges):
    parents = [[] for _ in range(n)]
    for a, b in edges:
        parents[b].append(a)
    return parents


def log_likelihoods(edges, train, test):
    """Log-likelihoods of both tables under the linear Gaussian network fitted to `train` by maximum
    likelihood.
    """
    total = np.zeros(2)
    for child, parents in enumerate(parents_of(train.shape[1], edges)):
        centre = train[:, parents].mean(0)
        mean = train[:, child].mean()
        weights = np.linalg.lstsq(train[:, parents] - centre, train[:, child] - mean, rcond=None)[0]
        residuals = [x[:, child] - mean - (x[:, parents] - centre) @ weights for x in (train, test)]
        variance = np.mean(residuals[0] ** 2)
        for i, residual in enumerate(residuals):
            total[i] -= 0.5 * (len(residual) * np.log(2 * np.pi * variance) + residual @ residual / variance)
    return total


def bic(log_likelihood, edges, table):
    """Log-likelihood minus log(M)/2 for every intercept, weight and variance; larger is better."""
    instances, n = table.shape
    return log_likelihood - 0.5 * (2 * n + len(edges)) * np.log(instances)


def var_sortability(edges, table, tolerance=1e-9):
    """Share of directed paths whose end varies more than their start (Reisach et al. 2021).

    A tie counts half. As in the paper, a pair of variables counts once for every length of a path
    between them.
    """
    n = table.shape[1]
    adjacency = np.zeros((n, n), np.float32)
    for a, b in edges:
        adjacency[a, b] = 1
    variance = table.var(0)
    ratio = variance[None, :] / variance[:, None]
    right = np.where(ratio > 1 + tolerance, 1.0, np.where(ratio < 1 - tolerance, 0.0, 0.5))
    paths, good, count = adjacency, 0.0, 0
    for _ in range(n - 1):
        if not paths.any():
            break
        count += int(paths.sum())
        good += float((paths * right).sum())
        paths = np.minimum(paths @ adjacency, 1)
    return good / count if count else float("nan")


def closes_cycle(children, a, b):
    """Whether a can be reached from b, in which case a -> b would close a cycle."""
    stack, seen = [b], {b}
    while stack:
        node = stack.pop()
        if node == a:
            return True
        new = children[node] - seen
        seen |= new
        stack.extend(new)
    return False


def consistent_extension(n, directed, undirected):
    """A DAG with the same skeleton, v-structures and directed edges (Dor and Tarsi 1992), or None.

    Repeatedly removes a node that no directed edge leaves, and whose undirected neighbours are each
    adjacent to all its other neighbours. Its undirected edges are then directed towards it.
    """
    parents, children, friends = ([set() for _ in range(n)] for _ in range(3))
    for a, b in directed:
        children[a].add(b)
        parents[b].add(a)
    for a, b in undirected:
        friends[a].add(b)
        friends[b].add(a)

    def adjacent(node):
        return parents[node] | children[node] | friends[node]

    def sink(node):
        if children[node]:
            return False
        around = adjacent(node)
        return all(around - {friend} <= adjacent(friend) for friend in friends[node])

    found, gone = list(directed), set()
    waiting = list(range(n))
    while waiting:
        # A node that is not a sink can only become one when a neighbour is removed. It is then
        # added to `waiting` again.
        node = waiting.pop()
        if node in gone or not sink(node):
            continue
        found += [(friend, node) for friend in sorted(friends[node])]
        gone.add(node)
        for other in sorted(adjacent(node)):
            for sets in (parents, children, friends):
                sets[other].discard(node)
            waiting.append(other)
    return found if len(gone) == n else None


def to_dag(n, edges):
    """A DAG for a partially directed graph, and whether it is a consistent extension.

    Undirected edges are listed in both directions. If there is no consistent extension, edges are
    added in order, the directed ones first, and reversed if they would close a cycle.
    """
    pairs = set(edges)
    directed = sorted((a, b) for a, b in pairs if (b, a) not in pairs)
    undirected = sorted((a, b) for a, b in pairs if a < b and (b, a) in pairs)
    found = consistent_extension(n, directed, undirected)
    if found is not None:
        return sorted(found), True
    children = [set() for _ in range(n)]
    found = []
    for a, b in directed + undirected:
        if closes_cycle(children, a, b):
            a, b = b, a
        children[a].add(b)
        found.append((a, b))
    return sorted(found), False
