#!/usr/bin/env -S uv run --script
# /// script
# dependencies = [
#   'torch',
# ]
# [tool.uv]
# prerelease = 'allow'
# [tool.uv.sources]
# torch = { index = 'cpu' }
# [[tool.uv.index]]
# name = 'cpu'
# url = '@OTHER@'
# explicit = true
# [[tool.uv.index]]
# url = '@INDEX@'
# default = true
# ///
import importlib.metadata as m
for d in m.distributions():
    print(f"{d.metadata['Name'].lower()}=={d.version}")
