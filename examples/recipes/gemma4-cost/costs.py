"""The table that compares TPUs and GPUs. Needs no packages."""


def total(*parts):
    """Returns the sum, or None if a part is unknown."""
    return None if None in parts else sum(parts)


def rows(tpu, gpu):
    """Returns the rows of the table: a name, a format, and the figures of TPU and GPU. None is an unknown figure."""

    def pair(figure):
        return tuple(None if side is None else figure(side) for side in (tpu, gpu))

    def job_cost(name):
        return pair(lambda side: side[name]["dollars"] if name in side else None)

    def value(name, *keys):
        def figure(side):
            found = side.get(name, {}).get("value")
            for key in keys:
                found = None if found is None else found[key]
            return found

        return pair(figure)

    train, serve = job_cost("train"), job_cost("serve")
    return [
        ("training", "{:.1f} s", *value("train", "train_seconds")),
        ("training job", "{:.1f} s", *pair(lambda side: side["train"]["seconds"])),
        ("cost of the training job", "${:.2f}", *train),
        ("output tokens per second", "{:.1f}", *value("serve", "output_tokens_per_second")),
        ("time to first token, median", "{:.0f} ms", *value("serve", "first_token_ms", "median")),
        ("cost of the serving job", "${:.2f}", *serve),
        ("train plus serve", "${:.2f}", *map(total, train, serve)),
    ]


def table(tpu, gpu, names=("TPU", "GPU")):
    """Returns the comparison as Markdown. The last column is the GPU's figure divided by the TPU's."""
    lines = [f"| | {names[0]} | {names[1]} | ratio |", "|---|---|---|---|"]
    for name, form, first, second in rows(tpu, gpu):
        cells = ["-" if figure is None else form.format(figure) for figure in (first, second)]
        known = first and second is not None
        lines.append(f"| {name} | {cells[0]} | {cells[1]} | {f'{second / first:.2f}' if known else '-'} |")
    return "\n".join(lines)
