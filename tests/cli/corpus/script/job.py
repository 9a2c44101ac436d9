# /// script
# requires-python = '>=3.9'
# dependencies = ['numpy<2', "colorama; sys_platform == 'win32'"]
# [[tool.uv.index]]
# url = '@INDEX@'
# default = true
# ///
import importlib.metadata as m
for d in m.distributions():
    print(f"{d.metadata['Name'].lower()}=={d.version}")
