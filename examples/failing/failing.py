class DataError(Exception):
    """The dataset is inconsistent."""


def parse(row):
    return int({3: "twelve"}.get(row, "12"))


def main(row):
    print(f"reading row {row}")
    try:
        return parse(row)
    except ValueError as error:
        raise DataError(f"row {row} is damaged") from error
