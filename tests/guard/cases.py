"""The commands whose outputs the guard records.

A case is a list of commands, which run one after another in a temporary folder. Its outputs are
what they print, and every file that they write to the folder. Words in braces are programs:
{idealparent}, {paper} (the experiments), {python}.
"""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent

KNOWLEDGE = {
    "require.tsv": "from\tto\nlacA\tlacY\n",
    "forbid.tsv": "from\tto\n*\tasnA\nyheI\tb1583\n",
    "tiers.tsv": "lacA\tlacY\tlacZ\nasnA\tyheI\n",
    "start.tsv": "from\tto\nlacA\tlacZ\nyheI\tb1583\n",
}
STRUCTURE = {"structure.tsv": "from\tto\nRaf\tMek\nPlcg\tPIP2\nPlcg\tPIP3\nPKA\tErk\nErk\tAkt\n"}
HIDDEN = {"structure.tsv": "from\tto\nH\tRaf\nH\tMek\nH\tErk\nPlcg\tPIP2\n"}
FEW = {"few.txt": "lacA\nlacY\nlacZ\nasnA\nyheI\nb1583\nyjbO\nygcE\n"}
ROWS = {"rows.csv": "," + ",".join(f"s{i}" for i in range(8)) + "\n"
        + "\n".join(f"g{j}," + ",".join(str((i * (j + 3) * 7 + i * i) % 11 + j) for i in range(8)) for j in range(4)) + "\n"}



def small(rows=60):
    """A table of six positive columns, some of which depend on others."""
    state, lines = 1, ["a,b,c,d,e,f"]
    for row in range(rows):
        noise = []
        for _ in range(6):
            state = state * 1103515245 + 12345 & 0x7FFFFFFF
            noise.append(state / 0x7FFFFFFF)
        a, b = 0.3 + 3 * noise[0], 0.5 + 2 * noise[1]
        c = 4 * a / (1 + a) + 0.2 * noise[2]
        d = 3 * b / (1 + b) / (1 + c) + 0.1 * noise[3]
        e = 0.5 + c + d + noise[4]
        lines.append(",".join(f"{x:.6f}" for x in (a, b, c, d, e, 1 + noise[5])))
    return {"small.csv": "\n".join(lines) + "\n"}


SMALL = small()
SACHS, ECOLI = "--example sachs", "--example ecoli70"
HOLES, LAYERS = "--example ecoli70-holes", "--example twolayer"


def learn(data, options="", more=""):
    """Learns a network and prints the statistics of the run; then runs `more`."""
    words = f"learn {data} {options} -o net.json --json --quiet"
    return ["{idealparent} " + words, *(["{idealparent} " + more] if more else [])]


def paper(data, options):
    """Learns with one of the paper's procedures."""
    return [f"{{paper}} learn {data} {options} -o net.json --json --quiet"]


def resumed(data, options, *stops):
    """A run that is stopped after each of these numbers of checkpoints, and resumed.

    The first part must end with another network than the last one.
    """
    words = f"{{idealparent}} learn {data} {options} -o net.json --quiet --checkpoint state"
    parts = [f"{words} --checkpoint-every 0 --resume --stop-after-checkpoints {stop}" for stop in stops]
    parts[0] += " && cp net.json part.json"
    return [*parts, f"test -s state && {words} --resume --json && ! cmp -s net.json part.json"]


# Name, input files, commands.
CASES = [
    # Scores, densities, searches.
    ("sachs", {}, learn(SACHS)),
    ("ecoli70", {}, learn(ECOLI)),
    ("twolayer-complete", {}, learn(LAYERS)),
    ("summary", {}, [f"{{idealparent}} learn {ECOLI} -o net.json"]),
    ("trace", {}, learn(ECOLI, "--search hill --score bic --method greedy --trace trace.jsonl")),
    ("trace-order", {}, learn(SACHS, "--search order --restarts 2 --trace trace.jsonl")),
    ("c2", {}, learn(ECOLI, "--search hill --measure c2 -k 1 --score bic")),
    ("c1", {}, learn(ECOLI, "--search hill --measure c1 -k 3 --moves add,delete,replace")),
    ("tabu", {}, learn(ECOLI, "--search tabu --tabu-length 12")),
    ("anneal", {}, learn(SACHS, "--search anneal --seed 3")),
    ("restarts", {}, learn(ECOLI, "--search hill --restarts 4 --perturb 5 --seed 7")),
    ("order-ideal", {}, learn(ECOLI, "--search order --restarts 3 --score bic")),
    ("bge", {}, learn(SACHS, "--score bge")),
    ("bge-standardized", {}, learn(ECOLI, "--score bge --alpha-w 80 --standardize")),
    ("aic", {}, learn(SACHS, "--score aic --penalty 2")),
    ("gamma", {}, learn(ECOLI, "--gamma 0.5 --penalty 1.5")),
    ("sigmoid", {}, learn(SACHS, "--cpd sigmoid")),
    ("sigmoid-bias", {}, learn(SACHS, "--cpd sigmoid --bias --search hill")),
    ("sigmoid-c2", {}, learn(SACHS, "--cpd sigmoid --measure c2 --search hill")),
    ("sigmoid-greedy", {}, learn(SACHS, "--cpd sigmoid --method greedy --search hill")),
    ("mixed-auto", {}, learn(SACHS, "--cpd linear,sigmoid -k auto")),
    ("product", SMALL, learn("small.csv", "--cpd product --search hill --score bic")),
    ("product-exp2", SMALL, learn("small.csv", "--cpd product --exp2 --search hill --score bic")),
    ("product-baseline", SMALL, learn("small.csv", "--cpd linear,product --baseline --search hill -k 1 --score bic")),
    # Knowledge and tables.
    ("knowledge", KNOWLEDGE, learn(ECOLI, "--require require.tsv --forbid forbid.tsv --tiers tiers.tsv --max-parents 2")),
    ("start", KNOWLEDGE, learn(ECOLI, "--start start.tsv --search hill --moves add,delete")),
    ("selected", FEW, learn(ECOLI, "--variables few.txt --drop lacZ")),
    ("transposed", ROWS, learn("rows.csv", "--transpose")),
    ("pipe", ROWS, ["{idealparent} learn - --transpose --quiet --json < rows.csv"]),
    # Missing values.
    ("holes", {}, learn(HOLES)),
    ("holes-trace", {}, learn(HOLES, "--search hill --trace trace.jsonl")),
    ("holes-mean-field", {}, learn(HOLES, "--posterior mean-field --search hill")),
    ("holes-sigmoid", FEW, learn(HOLES, "--cpd sigmoid --search hill --variables few.txt",
                                 f"score net.json {HOLES} --variables few.txt --json")),
    ("holes-mixed", FEW, learn(HOLES, "--cpd linear,sigmoid --search hill --variables few.txt")),
    # Hidden variables.
    ("two-layer", {}, learn(LAYERS, "--hidden auto --two-layer --profiles profiles.tsv --trace trace.jsonl")),
    ("hidden", {}, learn(LAYERS, "--hidden 2 --search hill")),
    ("hidden-holes", {}, learn(HOLES, "--hidden 1 --min-children 4 --search hill")),
    ("hidden-sigmoid", SMALL, learn("small.csv", "--hidden 1 --cpd sigmoid --search hill")),
    # Resuming from checkpoints.
    ("resumed", {}, resumed(ECOLI, "--seed 2", 40, 40, 40, 40, 40)),
    ("resumed-auto", {}, resumed(SACHS, "--cpd sigmoid -k auto --search order --restarts 2", 6, 6)),
    ("resumed-tabu", {}, resumed(ECOLI, "--search tabu", 40, 40)),
    ("resumed-holes", {}, resumed(HOLES, "--search hill", 3, 9, 3, 3, 1)),
    ("resumed-hidden", {}, resumed(LAYERS, "--hidden 2 --search hill", 60, 85, 1, 1, 1)),
    # Using networks.
    ("fit", STRUCTURE, [f"{{idealparent}} fit structure.tsv {SACHS} -o net.json --json --quiet",
                        f"{{idealparent}} fit net.json {SACHS} --cpd sigmoid -o bent.json --json --quiet",
                        f"{{idealparent}} score bent.json {SACHS} --json"]),
    ("fit-holes", {}, learn(ECOLI, "", f"fit net.json {HOLES} -o fitted.json --json --quiet")),
    ("fit-hidden", HIDDEN, [f"{{idealparent}} fit structure.tsv {SACHS} --hidden H -o net.json --json --quiet"]),
    ("score", {}, learn(ECOLI, "", f"score net.json {HOLES} --json")),
    ("score-other", {}, learn(SACHS, "", f"score net.json {SACHS} --score bic --json")),
    ("rank", {}, learn(ECOLI, "", f"rank net.json {ECOLI} lacA")),
    ("rank-sigmoid", {}, learn(SACHS, "--cpd sigmoid", f"rank net.json {SACHS} Jnk")),
    ("rank-holes", {}, learn(HOLES, "--search hill", f"rank net.json {HOLES} lacA --json")),
    ("sample", {}, learn(SACHS, "", "sample net.json -n 40 --seed 5 -o data.tsv")),
    ("sample-sigmoid", {}, learn(SACHS, "--cpd sigmoid", "sample net.json -n 40 -o data.tsv")),
    ("impute", {}, [*learn(HOLES, "--search hill"), f"{{idealparent}} impute net.json {HOLES} -o filled.tsv --sd sd.tsv",
                    f"{{idealparent}} impute net.json {HOLES} -o draw.tsv --draws 2"]),
    ("impute-sigmoid", FEW, learn(HOLES, "--cpd sigmoid --search hill --variables few.txt",
                                  f"impute net.json {HOLES} --variables few.txt -o filled.tsv")),
    ("predict", {}, learn(ECOLI, "", f"predict net.json {HOLES} lacY -o p.tsv")),
    ("predict-sigmoid", {}, learn(SACHS, "--cpd sigmoid", f"predict net.json {SACHS} Akt -o p.tsv")),
    ("compare", KNOWLEDGE, [*learn(ECOLI), "{idealparent} compare net.json start.tsv",
                            "{idealparent} compare net.json start.tsv --json"]),
    ("cv", {}, [f"{{idealparent}} cv {ECOLI} --methods 'greedy ideal:k=2:measure=c2 ideal:k=1' --score bic --json --quiet"]),
    ("cv-table", {}, [f"{{idealparent}} cv {SACHS} --methods 'ideal ideal:cpd=sigmoid' --folds 3 --quiet | sed -E 's/ +[0-9.]+x? *$//'"]),
    ("cv-holes", {}, [f"{{idealparent}} cv {HOLES} --methods 'ideal:search=hill' --folds 2 --json --quiet"]),
    ("bootstrap", {}, [f"{{idealparent}} bootstrap {SACHS} -n 20 -o edges.tsv --average average.json --quiet"]),
    ("bootstrap-sigmoid", {}, [f"{{idealparent}} bootstrap {SACHS} -n 4 --cpd sigmoid -o edges.tsv --quiet --seed 4"]),
    ("exports", {}, [*learn(SACHS), *(f"{{idealparent}} export net.json --format {f} -o net.{f}"
                                      for f in "tsv dot graphml gexf cyjs sif bnlearn lavaan svg png".split())]),
    ("exports-sigmoid", {}, [*learn(SACHS, "--cpd sigmoid"), *(f"{{idealparent}} export net.json --format {f} -o net.{f}"
                                                               for f in "tsv dot graphml svg".split())]),
    ("exports-hidden", {}, [*learn(LAYERS, "--hidden 2 --two-layer"), *(f"{{idealparent}} export net.json --format {f} -o net.{f}"
                                                                       for f in "tsv dot cyjs svg".split())]),
    ("report", {}, [f"{{idealparent}} learn {SACHS} -o net.json --report report.html --quiet"]),
    ("report-holes", {}, [*learn(HOLES, "--search hill"), f"{{idealparent}} report net.json {HOLES} -o report.html --quiet"]),
    ("report-sigmoid", {}, [*learn(SACHS, "--cpd sigmoid"), f"{{idealparent}} report net.json {SACHS} -o report.html --quiet"]),
    ("examples", {}, ["{idealparent} examples", "{idealparent} examples sachs -o data.tsv --truth truth.tsv"]),
    # The paper's procedures.
    ("paper-keep", {}, paper(ECOLI, "--search hill --score bic --measure c2 -k 2 --illegal keep --forget --moves add,delete,replace")),
    ("paper-drop", {}, paper(ECOLI, "--search hill --score bic --measure c2 -k 2 --illegal drop")),
    ("paper-greedy", {}, paper(ECOLI, "--search hill --score bic --method greedy --resolve")),
    ("paper-forget", {}, paper(SACHS, "--search hill --cpd sigmoid --method greedy --forget --illegal keep")),
    ("paper-sigmoid", {}, paper(SACHS, "--search hill --cpd sigmoid --measure c2 --illegal drop --forget")),
    ("paper-means", {}, paper(HOLES, "--search hill --measure c2 --moments means --posterior mean-field")),
    ("paper-clusters", {}, paper(LAYERS, "--hidden 2 --two-layer --cluster-score paper")),
    ("paper-sparse", {}, paper(ECOLI, "--search sparse")),
    ("paper-sparse-sigmoid", {}, paper(SACHS, "--search sparse --cpd sigmoid")),
    # The Python package.
    ("python", {}, ["{python} " + str(HERE / "calls.py")]),
]

