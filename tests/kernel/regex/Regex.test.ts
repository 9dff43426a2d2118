import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import {
  compileRegex,
  FailureMemo,
  Regex,
  RegexError,
  type RegexOptions,
  scanPaused,
} from "../../../src/kernel/regex/Regex.ts"
import { type Random, random } from "../../support/random.ts"

/** No other process waits: every search ends synchronously. */
const system = { yield: () => undefined }

const now = <A>(value: A | Promise<A>): A => {
  if (value instanceof Promise) throw new Error("the search waited")
  return value
}

/** The match in a binary string, its groups in brackets: `ab[b]`; `undefined` if there is none. */
const search = (pattern: string, text: string, options: RegexOptions = {}): ReadonlyArray<string> | undefined => {
  const regex = new Regex([pattern], options)
  if (!now(regex.exec(system, text))) return undefined
  const slots = now(regex.captures(system, text))
  return Array.from({ length: slots.length / 2 }, (_, group) => {
    const start = slots[group * 2] ?? -1
    return start < 0 ? "" : text.slice(start, slots[group * 2 + 1])
  }).slice(0, regex.groups + 1)
}

type Row = readonly [
  pattern: string,
  text: string,
  expected: ReadonlyArray<string> | undefined,
  options?: RegexOptions,
]

describe("POSIX and GNU syntax", () => {
  const rows: ReadonlyArray<Row> = [
    // Basic: operators need a backslash, and `*` is literal where nothing precedes it.
    ["a+", "aa+a", ["a+"]],
    ["a\\+", "baab", ["aa"]],
    ["*a", "x*a", ["*a"]],
    ["\\(*a\\)", "x*a", ["*a", "*a"]],
    ["a\\{2,3\\}", "aaaa", ["aaa"]],
    ["a\\|b", "cb", ["b"]],
    ["a^b$c", "a^b$c", ["a^b$c"]],
    ["^*a", "*a", ["*a"]],
    ["{a}", "{a}", ["{a}"]],
    ["(a)", "(a)", ["(a)"]],
    // Extended.
    ["a+b?", "caab", ["aab"], { extended: true }],
    ["a|ab", "ab", ["ab"], { extended: true }],
    ["(a|ab)(c|bcd)", "abcd", ["abcd", "a", "bcd"], { extended: true }],
    ["x(y)?z", "xz", ["xz", ""], { extended: true }],
    ["a{,2}b", "aaab", ["aab"], { extended: true }],
    ["a{2}", "aaa", ["aa"], { extended: true }],
    ["a{1a", "a{1a", ["a{1a"], { extended: true }],
    ["()b", "ab", ["b", ""], { extended: true }],
    ["a)", "a)", ["a)"], { extended: true, loose: true }],
    // Anchors and words.
    ["^a$", "a", ["a"]],
    ["^a$", "a\nb", undefined],
    ["^b$", "a\nb\nc", ["b"], { multiline: true }],
    ["\\`b", "a\nb", undefined, { multiline: true }],
    ["\\<b\\w*\\>", "ab bcd", ["bcd"]],
    ["\\Bb", "b ab", ["b"]],
    ["o\\b", "foo oo", ["o"]],
    // Brackets.
    ["[]a]*", "]a]b", ["]a]"]],
    ["[^]a]", "]ab", ["b"]],
    ["[a\\]", "\\", ["\\"]],
    ["[[:digit:]x-z]*", "9yz0-", ["9yz0"]],
    ["[[.-.]a]*", "-a-b", ["-a-"]],
    ["[[=a=]b]*", "abc", ["ab"]],
    ["[\\n]", "an", ["n"]],
    ["[\\n]", "a\nn", ["\n"], { escapes: true }],
    // Case, words, lines, texts.
    ["[a-c]Ö", "B\u00c3\u00b6", ["B\u00c3\u00b6"], { ignoreCase: true, utf8: true }],
    ["b", "ab b", ["b"], { whole: "word" }],
    ["a|b", "ab", undefined, { extended: true, whole: "line" }],
    ["a.c", "abc a.c", ["a.c"], { fixed: true }],
    // Back references.
    ["\\(a*\\)b\\1", "aaba", ["aba", "a"]],
    ["(.)(.)\\2\\1", "xabba", ["abba", "a", "b"], { extended: true }],
    ["(a)\\1", "aA", ["aA", "a"], { extended: true, ignoreCase: true }],
    // UTF-8 in binary strings: `.` is a character, or a byte without `utf8`.
    ["^.$", "\u00c3\u00a9", ["\u00c3\u00a9"], { utf8: true }],
    ["^..$", "\u00c3\u00a9", ["\u00c3\u00a9"]],
    ["[é-ë]+", "x\u00c3\u00aa\u00c3\u00a9", ["\u00c3\u00aa\u00c3\u00a9"], { extended: true, utf8: true }],
  ]

  it.each(rows.map(([pattern, text, expected, options = {}]) => ({ expected, options, pattern, text })))(
    "$pattern in $text is $expected",
    ({ expected, options, pattern, text }) => {
      expect(search(pattern, text, options)).toEqual(expected)
    },
  )

  it.each<readonly [pattern: string, extended: boolean, message: string]>([
    ["\\(", false, "Unmatched ( or \\("],
    ["a)", true, "Unmatched ) or \\)"],
    ["[a", false, "Unmatched [, [^, [:, [., or [="],
    ["[[:letters:]]", false, "Invalid character class name"],
    ["[b-a]", false, "Invalid range end"],
    ["a\\{2,1\\}", false, "Invalid content of \\{\\}"],
    ["a\\", false, "Trailing backslash"],
    ["\\1", false, "Invalid back reference"],
    ["a{40000}", true, "Regular expression too big"],
  ])("refuses %s with grep's message", (pattern, extended, message) => {
    expect(compileRegex([pattern], { extended })).toBe(message)
    expect(() => new Regex([pattern], { extended })).toThrow(RegexError)
  })

  it("matches where one of several patterns does, the leftmost and longest", () => {
    const regex = new Regex(["b", "abc", "a"], {})
    expect(now(regex.exec(system, "xabc"))).toBe(true)
    expect([regex.start, regex.end]).toEqual([1, 4])
    expect(now(new Regex([]).test(system, ""))).toBe(false)
  })

  it("finds successive matches with a memo", () => {
    const [regex, memo] = [new Regex(["a*b"], {}), new FailureMemo()]
    const found: Array<string> = []
    for (let from = 0; now(regex.exec(system, "aab ab b a", from, memo)); from = regex.end) {
      found.push("aab ab b a".slice(regex.start, regex.end))
    }
    expect(found).toEqual(["aab", "ab", "b"])
  })
})

describe("bounded time", () => {
  it.each<readonly [pattern: string, text: string]>([
    ["(a*)*b", "a".repeat(100_000)],
    ["(a|aa)+c", "a".repeat(100_000)],
    ["(.*)(.*)(.*)x", "a".repeat(100_000)],
    ["(a?){200}a{200}b", "a".repeat(5_000)],
  ])("%s takes time linear in the text", async (pattern, text) => {
    const started = performance.now()
    expect(await new Regex([pattern], { extended: true }).exec(system, text)).toBe(false)
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it("finds all matches of one text in linear time, though each could be longer up to its end", async () => {
    const [regex, memo, text] = [new Regex(["a|a*b"], { extended: true }), new FailureMemo(), "a".repeat(100_000)]
    const started = performance.now()
    let count = 0
    for (let from = 0; await regex.exec(system, text, from, memo); from = regex.end) count++
    expect(count).toBe(text.length)
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it("fails after too many steps of a back reference", async () => {
    const regex = new Regex(["(a*)*\\1b"], { extended: true })
    const search = async () => await regex.test(system, "a".repeat(2_000))
    await expect(search()).rejects.toThrow("the pattern takes too many steps")
  })

  it("yields while it reads a long text", async () => {
    let yields = 0
    const counting = { yield: () => void yields++ }
    expect(await new Regex(["b"]).test(counting, "a".repeat(2_000_000))).toBe(false)
    expect(yields).toBeGreaterThan(5)
  })
})

describe("scan", () => {
  const bytes = (text: string) => new TextEncoder().encode(text)

  it("finds the line of the first match, or none", () => {
    const text = bytes("one\ntwo\nthree\n")
    const at = new Regex(["^t.*e$"]).scan(text, 0, text.length, false)
    expect(at).toBeGreaterThanOrEqual(8)
    expect(at).toBeLessThanOrEqual(13)
    expect(new Regex(["four"]).scan(text, 0, text.length, false)).toBe(-1)
  })

  it("matches the end of a last line without a terminator only if it is the last", () => {
    const text = bytes("one\ntw")
    expect(new Regex(["w$"]).scan(text, 0, text.length, true)).toBe(text.length)
    expect(new Regex(["w$"]).scan(text, 0, text.length, false)).toBe(-1)
  })

  it("continues where it paused", () => {
    const text = bytes(`${"a".repeat(2_500_000)}b\n`)
    const regex = new Regex(["b$"])
    let pauses = 0
    let at = regex.scan(text, 0, text.length, false)
    for (; at === scanPaused; at = regex.scan(text, regex.scanAt, text.length, false)) pauses++
    expect(at).toBe(text.length - 1)
    expect(pauses).toBe(2)
  })

  it("cannot be used with back references", () => {
    expect(new Regex(["\\(a\\)\\1"]).canScan).toBe(false)
    expect(new Regex(["\\(a\\)"]).canScan).toBe(true)
  })
})

const hasGnuSed = /GNU/.test(spawnSync("/usr/bin/sed", ["--version"], { encoding: "utf8" }).stdout ?? "")

/** Texts after the first match was marked by `s/PATTERN/REPLACEMENT/` of the real sed. */
const sed = (pattern: string, replacement: string, texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { status, stderr, stdout } = spawnSync("/usr/bin/sed", ["-E", `s/${pattern}/${replacement}/`], {
    encoding: "utf8",
    env: { LC_ALL: "C" },
    input: texts.map((text) => `${text}\n`).join(""),
  })
  if (status !== 0) throw new Error(`sed refuses ${pattern}: ${stderr}`)
  return stdout.split("\n").slice(0, texts.length)
}

/**
 * Random extended patterns. Anchors are only at their ends: glibc mistakes `$` and `\<` in the middle. With `groups`, no
 * group is repeated: glibc and a Pike machine remember different iterations.
 */
const randomPattern = ({ int, pick }: Random, groups: boolean): string => {
  const atom = (depth: number): string =>
    depth > 2
      ? pick(["a", "b", "."])
      : pick(["a", "b", "c", ".", "[ab]", "[^a]", "[[:alpha:]]", "\\w", `(${alternatives(depth + 1)})`])
  const piece = (depth: number): string => {
    const one = atom(depth)
    return groups && one[0] === "(" ? one : one + pick(["", "", "", "*", "+", "?", "{1,2}", "{2}"])
  }
  const sequence = (depth: number): string => Array.from({ length: int(1, 3) }, () => piece(depth)).join("")
  const alternatives = (depth: number): string =>
    !groups && int(0, 3) === 0 ? `${sequence(depth)}|${sequence(depth)}` : sequence(depth)
  return groups ? `(${sequence(1)})${alternatives(0)}` : pick(["", "^"]) + alternatives(0) + pick(["", "$"])
}

it.skipIf(!hasGnuSed).each(
  [
    ["matches", "[&]", false],
    ["first groups", "[&|\\1]", true],
  ] as const,
)("finds the same %s as the real sed (needs GNU sed)", (_, replacement, groups) => {
  const generator = random(12)
  const { int, pick } = generator
  const wrong: Array<string> = []
  for (let round = 0; round < 250; round++) {
    const pattern = randomPattern(generator, groups)
    const texts = Array.from({ length: 40 }, () => Array.from({ length: int(0, 8) }, () => pick([..."abc "])).join(""))
    const regex = new Regex([pattern], { extended: true })
    const expected = sed(pattern, replacement, texts)
    texts.forEach((text, index) => {
      const found = now(regex.exec(system, text))
      const slots = found && groups ? now(regex.captures(system, text)) : undefined
      const group = slots === undefined ? "" : `|${text.slice(Math.max(0, slots[2] ?? 0), Math.max(0, slots[3] ?? 0))}`
      const { end, start } = regex
      const marked = found ? `${text.slice(0, start)}[${text.slice(start, end)}${group}]${text.slice(end)}` : text
      if (marked !== expected[index]) wrong.push(`${pattern} in ${text}: ${marked}, sed: ${expected[index]}`)
    })
  }
  expect(wrong).toEqual([])
})

it.each(
  [
    ["too many patterns", Array(25_001).fill("a"), {}],
    ["too long fixed texts", ["a".repeat(60_000), "a"], { fixed: true }],
  ] as const,
)("refuses %s before it has looked at all", (_, patterns, options) => {
  let reads = 0
  const counting = [...patterns]
  Object.defineProperty(counting, patterns.length - 1, { get: () => ++reads && "a" })
  expect(() => new Regex(counting, options)).toThrow(new RegexError("Regular expression too big"))
  expect(reads).toBe(0)
})
