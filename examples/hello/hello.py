import platform


def greet(name):
    print(f"greeting {name} from Python {platform.python_version()}")
    return {"greeting": f"hello, {name}", "length": len(name)}
