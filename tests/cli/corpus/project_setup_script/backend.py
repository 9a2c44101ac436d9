import os


def prepare_metadata_for_build_wheel(folder, config=None):
    name = "own-0.1.dist-info"
    os.makedirs(os.path.join(folder, name))
    with open(os.path.join(folder, name, "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.2\nName: own\nVersion: 0.1\n")
        file.writelines(f"Requires-Dist: {line}" for line in open("more.in"))
    return name


def build_wheel(folder, config=None, metadata=None):
    raise NotImplementedError


build_editable = build_wheel
prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel
