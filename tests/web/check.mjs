// check.mjs -- `ok NAME` and `FAIL NAME`, as tests/run counts them.
const wanted = process.argv[2] ?? "";
let failures = 0;

/** Runs one test; it fails by throwing. With a word on the command line, only tests that contain it. */
export async function test(name, body) {
  if (!name.includes(wanted)) return;
  try {
    await body();
    console.log(`ok ${name}`);
  } catch (error) {
    failures++;
    console.log(
      `FAIL ${name}\n  ${String(error?.stack ?? error)
        .split("\n")
        .slice(0, 5)
        .join("\n  ")}`,
    );
  }
}

export function check(condition, words) {
  if (!condition) throw new Error(words);
}

export function same(actual, expected, words = "") {
  const [a, b] = [actual, expected].map((value) => JSON.stringify(value));
  if (a !== b) throw new Error(`${words}${words && ": "}got ${a}, expected ${b}`);
}

export function finish() {
  process.exit(failures > 0 ? 1 : 0);
}
