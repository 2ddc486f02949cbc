"""One line for each promise, as the check reads them."""


def say(is_right, sentence):
    print(f"{'ok' if is_right else 'not ok'} {sentence}", flush=True)
    return is_right
