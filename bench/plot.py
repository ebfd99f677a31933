#!/usr/bin/python3
"""Draws the results of `pawl_bench --json FILE`: bars for each workload, lines for W9.

The pictures are WORKLOAD-OVER.svg, w9-memory.svg and w9-cycle.svg, with -pinned before the dot if
all ran on one processor. They have no background, and colours that can be read on white and on
black.
"""

import argparse
import json
import pathlib
import re

import matplotlib

matplotlib.use("svg")  # before pyplot, which would look for a display
from matplotlib import pyplot, ticker  # noqa: E402

TEXT = "#768390"
BAD = "#e5534b"
BLUE, ORANGE, GREEN, GREY = "#2f81f7", "#d18616", "#3fb950", "#b1bac4"

# The first figure of a workload is the one that is drawn.
UNITS = {
    "grants_per_second": "grants per second",
    "hand_offs_per_second": "hand-offs per second",
    "hand_off_p50_us": "median time of a hand-off (µs)",
    "last_released_p50_us": "median time until the last waiter has returned (µs)",
    "ns_per_grant": "time per grant (ns)",
    "wait_p50_round_trips": "median wait (round trips)",
}
KINDS = {"pawl": BLUE, "baseline": GREY, "peer": ORANGE}
GROWTHS = {
    "held": ("held locks", BLUE),
    "waiting": ("waiters, a lock each", ORANGE),
    "waiting-one": ("waiters, one lock", GREEN),
}

# With fewer, the memory of the client itself would be counted as that of its locks.
ENOUGH_FOR_MEMORY = 1000
# On a linear axis the smallest bar would be invisible.
TOO_DIFFERENT = 100

pyplot.rcParams.update({
    "axes.axisbelow": True,
    "axes.edgecolor": TEXT,
    "axes.grid": True,
    "axes.labelcolor": TEXT,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "grid.alpha": 0.3,
    "grid.color": TEXT,
    "legend.frameon": False,
    "savefig.transparent": True,
    "svg.fonttype": "none",  # text that can be read and searched
    "svg.hashsalt": "pawl",  # the same data is the same file
    "text.color": TEXT,
    "xtick.color": TEXT,
    "ytick.color": TEXT,
})


def short(value, _position=None):
    """For axes and bars, where there is little room: 1.87 M, 12,345, 7.19."""
    if value >= 1e6:
        return f"{value / 1e6:.3g} M"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def new_figure(title, height):
    figure, axes = pyplot.subplots(figsize=(7.6, height))
    figure.suptitle(title, x=0.01, horizontalalignment="left", fontsize=10, fontweight="bold")
    return figure, axes


def save(figure, path, title):
    figure.savefig(path, metadata={"Title": title, "Date": None})
    pyplot.close(figure)
    print(path)


def draw_bars(workload, path):
    """A bar for each contender, its median, with a whisker from the least to the most."""
    bars = []
    for each in workload["contenders"]:
        unit, figures = next(iter(each["figures"].items()))
        if figures and "failure" not in each:
            bars.append((each["title"], each["kind"], figures, unit))
    if not bars:
        return
    title = f"{workload['title']}, over {workload['over']}"
    figure, axes = new_figure(title, 1.4 + 0.28 * len(bars))
    medians = [figures["median"] for _, _, figures, _ in bars]
    most = max(figures["most"] for _, _, figures, _ in bars)
    logarithmic = min(medians) > 0 and most / min(medians) > TOO_DIFFERENT

    for row, (_, kind, figures, _) in enumerate(bars):
        median = figures["median"]
        axes.barh(row, median, height=0.65, color=KINDS[kind],
                  xerr=[[median - figures["least"]], [figures["most"] - median]],
                  error_kw={"ecolor": TEXT, "capsize": 3, "elinewidth": 1.2})
        axes.annotate(short(median), (max(figures["most"], median), row), xytext=(6, 0),
                      textcoords="offset points", verticalalignment="center")
    axes.set_yticks(range(len(bars)), [name for name, _, _, _ in bars])
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    # With room for the numbers after the bars.
    if logarithmic:
        axes.set_xscale("log")
        axes.set_xlim(min(medians) / 10, most * 4)
        axes.minorticks_off()
    else:
        axes.set_xlim(0, most * 1.1)
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(short))
    unit = UNITS.get(bars[0][3], bars[0][3])
    axes.set_xlabel(f"{unit}{', logarithmic scale' if logarithmic else ''}: "
                    "median of the rounds, least and most")

    kinds = [kind for kind in KINDS if any(kind == each for _, each, _, _ in bars)]
    if len(kinds) > 1:
        handles = [pyplot.Rectangle((0, 0), 1, 1, color=KINDS[kind]) for kind in kinds]
        axes.legend(handles, kinds, ncol=len(kinds), loc="lower left", bbox_to_anchor=(0, 1))
    save(figure, path, title)


def draw_lines(growths, title, label, figure_name, least_count, target, path):
    """A line for each kind of growth, over the number of locks or waiters."""
    figure, axes = new_figure(title, 3.2)
    for each in growths:
        name, colour = GROWTHS[each["grows"]]
        points = [(at["count"], at[figure_name]) for at in each["points"]
                  if at["count"] >= least_count and at[figure_name] is not None]
        axes.plot(*zip(*points), marker="o", markersize=5, color=colour, label=name)
    if target:
        axes.axhline(target, color=BAD, linestyle="--", linewidth=1.2,
                     label=f"target: at most {target:,}")
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(short))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(short))
    axes.set_xlabel("locks or waiters in one client, logarithmic scale")
    axes.set_ylabel(label)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    save(figure, path, title)


def target_of_memory(growths):
    """From the text of the target: "≤ 600 bytes per held lock"."""
    for growth in growths:
        for target in growth["targets"]:
            if found := re.search(r"≤ (\d+) bytes", target["target"]):
                return int(found[1])
    return None


def pictures(results):
    """The name of each picture of the results, and the function that draws it to a path."""
    growths = [each for each in results["workloads"] if "grows" in each]
    for each in results["workloads"]:
        if "grows" not in each:
            yield (f"{each['workload']}-{each['over']}",
                   lambda path, each=each: draw_bars(each, path))
    if growths:
        yield "w9-memory", lambda path: draw_lines(
            growths, "W9: memory of the client for each lock or waiter", "resident memory (bytes)",
            "resident_bytes_each", ENOUGH_FOR_MEMORY, target_of_memory(growths), path)
        yield "w9-cycle", lambda path: draw_lines(
            growths, "W9: cost of a cycle at the same time as these locks or waiters",
            "time of a cycle, divided by a raw socket's", "cycle_times_raw_same", 1, None, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="what pawl_bench --json wrote")
    parser.add_argument("directory", type=pathlib.Path, help="where the pictures go")
    parser.add_argument("--only", metavar="PICTURE", nargs="+",
                        help="e.g. w5-greedy-unix w9-memory; all of them unless given")
    wanted = parser.parse_args()
    results = json.loads(pathlib.Path(wanted.results).read_text())
    found = dict(pictures(results))
    for name in wanted.only or found:
        if name not in found:
            parser.error(f"{wanted.results} has no '{name}'; it has: {', '.join(found)}")
    wanted.directory.mkdir(parents=True, exist_ok=True)
    for name in wanted.only or found:
        found[name](wanted.directory / f"{name}{'-pinned' if results['pinned'] else ''}.svg")


if __name__ == "__main__":
    main()
