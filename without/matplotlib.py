raise ImportError("hidden")
