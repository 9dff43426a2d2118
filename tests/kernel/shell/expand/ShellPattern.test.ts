/** Patterns against bash: generated ones, extended groups and negations within each other included, on generated texts. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { beforeAll, expect, it } from "vitest"
import { compilePattern } from "../../../../src/kernel/shell/expand/ShellPattern.ts"
import { runCoroutineSync } from "../../../../src/kernel/Coroutine.ts"

/** More by hand: `SLUICE_PATTERNS=200000`. */
const count = Number(process.env.SLUICE_PATTERNS ?? 4_000)
const seed = Number(process.env.SLUICE_SEED ?? 11)

/** Mulberry32. */
const generator = (start: number) => {
  let state = start
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const random = generator(seed)
const pick = <A>(...items: ReadonlyArray<A>): A => items[random(items.length)] as A

const makePattern = (depth: number): string => {
  let made = ""
  for (let left = random(depth > 1 ? 3 : 4) + (depth === 0 ? 1 : 0); left > 0; left--) {
    const group = depth < 3 && random(3) === 0
    made += group
      ? `${pick("?", "*", "+", "@", "!")}(${
        Array.from({ length: 1 + random(3) }, () => makePattern(depth + 1)).join("|")
      })`
      : pick("a", "b", "c", "a", "b", "é", "?", "*", "[ab]", "[!a]", "[a-c]", "[[:alpha:]]", "\\*", "-")
  }
  return made
}

const makeText = (): string =>
  Array.from({ length: random(7) }, () => pick("a", "b", "c", "a", "b", "é", "*", "-")).join("")

/** bash (5.2) itself fails where `*` or `?` stands before a group that may be empty: `[[ ab == a*+(|x) ]]`. */
const isBashDefect = (pattern: string): boolean => /[*?]\)*[*+@!?]\(/.test(pattern)

const pairs = Array.from({ length: count }, () => [makePattern(0), makeText()] as const)
  .filter(([pattern, text]) => text !== "" && !isBashDefect(pattern))

/** The same in bash and here: does it match, and what is trimmed. */
const script = `
shopt -s extglob
while IFS= read -r p && IFS= read -r x; do
  case $x in $p) r=1 ;; *) r=0 ;; esac
  printf '%s\\n' "$r|\${x#$p}|\${x##$p}|\${x%$p}|\${x%%$p}"
done
`

const here = (pattern: string, text: string): string => {
  const made = compilePattern(pattern)
  return [
    runCoroutineSync(made.matches(text)) ? 1 : 0,
    runCoroutineSync(made.trim(text, "start", false)),
    runCoroutineSync(made.trim(text, "start", true)),
    runCoroutineSync(made.trim(text, "end", false)),
    runCoroutineSync(made.trim(text, "end", true)),
  ].join("|")
}

let expected: ReadonlyArray<string> = []

beforeAll(async () => {
  const running = promisify(execFile)("bash", ["-c", script], {
    env: { ...process.env, LC_ALL: "C.UTF-8" },
    maxBuffer: 1 << 28,
  })
  running.child.stdin?.end(pairs.flat().join("\n") + "\n")
  expected = (await running).stdout.split("\n")
})

it(`matches and trims as bash does: ${pairs.length} pairs`, () => {
  const wrong = pairs.flatMap(([pattern, text], index) =>
    here(pattern, text) === expected[index] ? [] : [{ pattern, text, here: here(pattern, text), bash: expected[index] }]
  )
  expect(wrong.slice(0, 10), `${wrong.length} differ`).toEqual([])
})

/** Every match by trying all of them: leftmost, then longest. */
const replaceSlowly = (pattern: string, text: string): string => {
  const made = compilePattern(pattern)
  let result = ""
  for (let from = 0; from < text.length;) {
    let end = text.length
    while (end > from && !runCoroutineSync(made.matches(text.slice(from, end)))) end--
    if (end > from) {
      result += `<${text.slice(from, end)}>`
      from = end
    } else {
      if (runCoroutineSync(made.matches(""))) result += "<>"
      result += text[from++]
    }
  }
  return result
}

it(`replaces the leftmost longest matches: ${pairs.length} pairs, and long texts`, () => {
  const replaceAll = (pattern: string, text: string): string =>
    runCoroutineSync(
      compilePattern(pattern).replace(text, { at: "all", by: (match) => `<${match}>`, maxLength: 100_000 }),
    )
  for (const [pattern, text] of pairs) expect(replaceAll(pattern, text), pattern).toBe(replaceSlowly(pattern, text))
  // Longer than the distance at which searches in vain are remembered.
  for (const text of ["a".repeat(300), `${"a".repeat(200)}b${"a".repeat(150)}`, "ab".repeat(150)]) {
    for (const pattern of ["+(a)b", "@(a|+(a)b)", "@(aa|+(a)ba)", "+(ab)c", "@(a|ab|+(ab)c)", "!(*b)a"]) {
      expect(replaceAll(pattern, text), pattern).toBe(replaceSlowly(pattern, text))
    }
  }
})
