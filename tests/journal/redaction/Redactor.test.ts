import { describe, expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { Redactor } from "@sluice/shell/journal"
import { random } from "../../support/random.ts"

const inPieces = (redactor: Redactor.Redactor, text: string, cuts: ReadonlyArray<number>): string => {
  const run = redactor.begin()
  let out = ""
  let start = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    out += run.push(text.slice(start, cut))
    start = cut
  }
  return out + run.push(text.slice(start)) + run.end()
}

describe("Redactor.secrets", () => {
  it("finds a secret that is cut into pieces of one character", () => {
    const text = "user=me token=s3cr3t-value; again s3cr3t-value"
    const redactor = Redactor.secrets([{ value: "s3cr3t-value", label: "token" }])
    const everywhere = Array.from(text, (_, index) => index)
    expect(inPieces(redactor, text, everywhere)).toBe("user=me token=<redacted:token>; again <redacted:token>")
  })

  it("holds back only a possible start of a secret", () => {
    const run = Redactor.secrets([{ value: "abcdef" }]).begin()
    expect(run.push("xx abc")).toBe("xx ")
    expect(run.push("x")).toBe("abcx")
    expect(run.push("no")).toBe("no")
    expect(run.push("abcde")).toBe("")
    expect(run.end()).toBe("abcde")
  })

  it("replaces overlapping secrets, and a secret that is the start of another, by one marker", () => {
    const redactor = Redactor.secrets([{ value: "abcd1234" }, { value: "1234efgh" }, { value: "abcd1234zz" }], {
      encoded: false,
    })
    expect(redactor.text("-abcd1234efgh-abcd1234zz-abcd1234z-")).toBe("-<redacted>-<redacted>-<redacted>z-")
  })

  it("uses the label of a Redacted, and finds a secret in JSON, URLs and base64", () => {
    const redactor = Redactor.secrets([{ value: Redacted.make('p"ss word', { label: "db" }) }])
    expect(redactor.text(String.raw`p"ss word | p\"ss word | p%22ss%20word | cCJzcyB3b3Jk`)).toBe(
      "<redacted:db> | <redacted:db> | <redacted:db> | <redacted:db>",
    )
  })

  it("finds a secret at any offset within longer base64, and in URLs, forms and shells", () => {
    const value = "it's s3cr3t/ünd+long?"
    const redactor = Redactor.secrets([{ value }])
    for (const before of ["", "u", "us", "user", "user:"]) {
      for (const after of ["", "a", "ab", "abc", "\n"]) {
        for (const encoding of ["base64", "base64url"] as const) {
          const text = Buffer.from(before + value + after).toString(encoding)
          const core = Buffer.from(value).toString(encoding).replace(/=+$/, "")
          expect(redactor.text(`Basic ${text};`)).toMatch(/^Basic [\w+/-]{0,9}<redacted>[\w+/=-]{0,7};$/)
          if (before === "" && after === "") expect(redactor.text(core)).toBe("<redacted>")
        }
      }
    }
    const forms = [
      encodeURIComponent(value),
      new URLSearchParams({ value }).toString().slice(6),
      JSON.stringify(value).slice(1, -1),
      "it's s3cr3t/\\u00fcnd+long?",
      String.raw`it'\''s s3cr3t/ünd+long?`,
      value,
    ]
    for (const form of forms) expect(redactor.text(`<${form}>`)).toBe("<<redacted>>")
    const plain = Redactor.secrets([{ value }], { encoded: false })
    for (const form of forms.filter((form) => form !== value)) expect(plain.text(`<${form}>`)).toBe(`<${form}>`)
  })

  it("replaces half of a secret or more at the end of a text, and keeps less", () => {
    const value = "correct horse battery staple"
    const redactor = Redactor.secrets([{ value }], { encoded: false })
    for (let length = 0; length <= value.length; length++) {
      const part = value.slice(0, length)
      expect(redactor.text(`it is ${part}`)).toBe(length < 14 ? `it is ${part}` : "it is <redacted>")
      expect(redactor.text(`it is ${part}!`)).toBe(length < value.length ? `it is ${part}!` : "it is <redacted>!")
    }
    expect(Redactor.secrets([{ value: "12345678" }]).text("1234567")).toBe("1234567")
  })

  it("finds one of many secrets with the same start", () => {
    const values = Array.from(
      { length: 300 },
      (_, index) => ({ value: `token-of-the-house-${index}-x`, label: `${index}` }),
    )
    const redactor = Redactor.secrets(values)
    const text = values.map(({ value }) => `${value}, ${value.slice(0, -1)};`).join("\n")
    const expected = values.map(({ label, value }) => `<redacted:${label}>, ${value.slice(0, -1)};`).join("\n")
    expect(redactor.text(text)).toBe(expected)
    expect(inPieces(redactor, text, [1_000, 1_001, 5_003, 9_999])).toBe(expected)
  })

  it("holds back less than the longest secret, for any text", () => {
    const { int, pick } = random(5)
    const values = ["abcabcabd", "abcabcabcabcabcabcabce", "cabc"]
    const run = Redactor.secrets(values.map((value) => ({ value })), { encoded: false }).begin()
    let [given, taken] = [0, 0]
    for (let round = 0; round < 3_000; round++) {
      const piece = Array.from({ length: int(0, 5) }, () => pick(["abc", "a", "b", "c"])).join("")
      given += piece.length
      // A marker is longer than what it stands for: count that as nothing held back.
      const out = run.push(piece)
      taken += out.replaceAll("<redacted>", "").length
      if (!out.includes("<")) continue
      taken = given
    }
    expect(given - taken).toBeLessThan(22)
  })

  it("finds each long line of a secret of several lines", () => {
    const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nshort\n-----END KEY-----\n"
    const redactor = Redactor.secrets([{ value: key }])
    expect(redactor.text("  MIIEvQIBADANBgkqhkiG9w0B\n")).toBe("  <redacted>\n")
    expect(redactor.text(key)).toBe("<redacted>")
  })

  it("ignores secrets of fewer than four characters, and an empty list", () => {
    expect(Redactor.secrets([{ value: "" }, { value: "abc" }])).toBe(Redactor.none)
  })

  /** What the words say, without a thought for speed: all that is found, in order, and the end that was cut off. */
  const plainly = (text: string, values: ReadonlyArray<string>): string => {
    const found: Array<readonly [start: number, end: number]> = []
    for (let start = 0; start < text.length; start++) {
      for (const value of values) {
        if (text.startsWith(value, start)) found.push([start, start + value.length])
        const rest = text.slice(start)
        const isMost = rest.length >= 8 && rest.length >= value.length / 2 && rest.length < value.length
        if (isMost && value.startsWith(rest)) found.push([start, text.length])
      }
    }
    let out = ""
    let covered = 0
    for (const [start, end] of found.sort(([a, b], [c, d]) => a - c || d - b)) {
      if (start >= covered) out += `${text.slice(covered, start)}<redacted>`
      covered = Math.max(covered, end)
    }
    return out + text.slice(covered)
  }

  it("matches a naive implementation, for any number and length of secrets", () => {
    for (let seed = 1; seed <= 400; seed++) {
      const { int, pick } = random(seed)
      const letters = pick([["a", "b"], ["a", "b", "c", "d"], ["é", "😀", "a", "\ud83d"]])
      const word = (least: number, most: number): string =>
        Array.from({ length: int(least, most) }, () => pick(letters)).join("")
      const values = Array.from({ length: int(1, 30) }, () => word(4, pick([6, 12, 90])))
      const redactor = Redactor.secrets(values.map((value) => ({ value })), { encoded: false })
      const text = Array.from({ length: int(0, 10) }, () => {
        const value = pick(values)
        return pick([value, word(0, 8), value.slice(0, int(0, value.length)), value.slice(int(0, value.length))])
      }).join("")
      const expected = plainly(text, values)
      expect(redactor.text(text)).toBe(expected)
      const cuts = Array.from({ length: int(0, 20) }, () => int(0, text.length))
      expect(inPieces(redactor, text, cuts)).toBe(expected)
    }
  })

  it("gives the same result however the text is cut, without any secret", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const { int, pick } = random(seed)
      const word = (least: number, most: number): string =>
        Array.from({ length: int(least, most) }, () => pick(["a", "b", "c"])).join("")
      const values = Array.from({ length: int(1, 4) }, () => word(4, 7))
      const redactor = Redactor.secrets(values.map((value) => ({ value })), { encoded: false })
      const text = Array.from({ length: int(0, 12) }, () => pick([word(0, 6), ...values])).join(pick(["", "x"]))
      const whole = redactor.text(text)
      for (const value of values) expect(whole).not.toContain(value)
      for (let round = 0; round < 5; round++) {
        const cuts = Array.from({ length: int(0, 10) }, () => int(0, text.length))
        expect(inPieces(redactor, text, cuts)).toBe(whole)
      }
      const rest = whole.split("<redacted>")
      // What is left are pieces of the text, in their order.
      let at = 0
      for (const piece of rest) {
        const found = text.indexOf(piece, at)
        expect(found).toBeGreaterThanOrEqual(at)
        at = found + piece.length
      }
    }
  })

  it("is fast for escapes that decode to nothing, also in small pieces", () => {
    const redactor = Redactor.secrets([{ value: `pa'ss"w\\o%rd&x y` }])
    // With an exception for each character, or an expression that tries each place, this took minutes.
    const bytes = "\\xe2\\x82".repeat(1_000_000)
    expect(redactor.text(bytes) === bytes).toBe(true)
    const slashes = "\\".repeat(2_000_000)
    const cuts = Array.from({ length: slashes.length / 400 }, (_, index) => 400 * index)
    expect(inPieces(redactor, slashes, cuts) === slashes).toBe(true)
  })
})

describe("Redactor.patterns", () => {
  it("replaces matches of a pattern, also in a line that arrives in pieces", () => {
    const token = `ghp_${"x1Y2".repeat(9)}`
    const redactor = Redactor.patterns(Redactor.commonPatterns)
    const text = `a ${token}\nAuthorization: Bearer abcdef0123456789ABCDEF==\nAKIAABCDEFGHIJKLMNOP`
    const expected =
      "a <redacted:GitHub token>\nAuthorization: Bearer <redacted:bearer token>\n<redacted:AWS access key id>"
    for (let cut = 0; cut <= text.length; cut++) expect(inPieces(redactor, text, [cut])).toBe(expected)
  })

  it("releases complete lines at once", () => {
    const run = Redactor.patterns([{ pattern: /secret/ }]).begin()
    expect(run.push("one\ntwo secret\nthr")).toBe("one\ntwo <redacted>\n")
    expect(run.push("ee\n")).toBe("three\n")
    expect(run.end()).toBe("")
  })

  it("cuts an endless line at the same places however it arrives", () => {
    const redactor = Redactor.patterns([{ pattern: /x{10}/ }])
    // Wherever the ten stand, the cut is not within them.
    for (const at of [57_330, 57_334, 57_335, 57_343, 57_344, 57_350, 65_521, 65_531, 65_536, 70_000]) {
      const text = `${"y".repeat(at)}${"x".repeat(10)}${"y".repeat(140_000 - at)}`
      const expected = `${"y".repeat(at)}<redacted>${"y".repeat(140_000 - at)}`
      // Compared first, as a message with all of it would say little.
      expect(redactor.text(text) === expected).toBe(true)
      expect(inPieces(redactor, text, [7, at, at + 3, 65_530, 65_600, 90_000]) === expected).toBe(true)
    }
    const run = redactor.begin()
    const stored = run.push("y".repeat(200_000)).length
    expect(200_000 - stored).toBeLessThan(Redactor.maxLineLength)
    expect(stored + run.end().length).toBe(200_000)
  })

  it("gives the same result for many lines at once, in pieces, and line by line", () => {
    const rules: ReadonlyArray<Redactor.Pattern> = [
      { pattern: /ab+c/, label: "1", contains: ["abc", "abbc", "abbb"] },
      { pattern: /^x[^y]*y/, label: "2" },
      { pattern: /[^ab]z\s/ },
      { pattern: /(?<!b)q(?=x)/, label: "3" },
      { pattern: /\bkey$/i, contains: ["key", "KEY"] },
      { pattern: /c*/ },
    ]
    const alone = (line: string): string =>
      rules.reduce((text, { label, pattern }) => {
        const marker = label === undefined ? "<redacted>" : `<redacted:${label}>`
        return text.replace(new RegExp(pattern.source, `${pattern.flags}gm`), (match) => match === "" ? "" : marker)
      }, line)
    for (let seed = 1; seed <= 400; seed++) {
      const { int, pick } = random(seed)
      const text = Array.from(
        { length: int(0, 40) },
        () => pick(["a", "b", "c", "x", "y", "z", "q", "\n", "\r\n", " ", "abbc", "key", "KEY", "qx"]),
      ).join("")
      const expected = text.split(/(?<=\n)/).map(alone).join("")
      const redactor = Redactor.patterns(rules)
      expect(redactor.text(text)).toBe(expected)
      expect(inPieces(redactor, text, Array.from({ length: int(0, 9) }, () => int(0, text.length)))).toBe(expected)
    }
  })

  it("finds common secrets in text, JSON and URLs, and little else", () => {
    const redactor = Redactor.patterns(Redactor.commonPatterns)
    const known: Readonly<Record<string, string>> = {
      "AKIAIOSFODNN7EXAMPLE": "AWS access key id",
      [`ghp_${"a1B2".repeat(9)}`]: "GitHub token",
      [`github_pat_${"a1B2_".repeat(16)}`]: "GitHub token",
      [`glpat-${"aB-1".repeat(5)}`]: "GitLab token",
      "xoxb-123456789012-abcdefABCDEF": "Slack token",
      [`npm_${"a1B2".repeat(9)}`]: "npm token",
      [`AIza${"a1B2_".repeat(7)}`]: "Google API key",
      [`sk_live_${"a1B2".repeat(6)}`]: "Stripe key",
      [`sk-ant-${"a1B2-".repeat(10)}x`]: "API key",
      [`sk-${"a1B2".repeat(12)}`]: "API key",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9": "JWT",
    }
    for (const [secret, label] of Object.entries(known)) {
      for (const [before, after] of [["", ""], ["token=", "\n"], ['{"t":"', '"}'], ["(", ")"], ["x\n\t", "\r\n"]]) {
        expect(redactor.text(before + secret + after)).toBe(`${before}<redacted:${label}>${after}`)
      }
    }
    expect(redactor.text("authorization: bearer abc.def-ghi_jkl~mno")).toBe(
      "authorization: bearer <redacted:bearer token>",
    )
    expect(redactor.text("postgres://me:p%40ss@host:5432/db https://host:8080/a@b ssh://git@host/x")).toBe(
      "postgres://me:<redacted:password in a URL>@host:5432/db https://host:8080/a@b ssh://git@host/x",
    )
    const plain = [
      "risk-assessment-of-something-very-long-indeed",
      "https://registry.example.org:443/@scope/name",
      "the bearer of bad news",
      "sha512-AKIA; ghp_short; npm_config_registry; xox; eyJ.eyJ",
      "0123456789abcdef".repeat(16),
    ].join("\n")
    expect(redactor.text(plain)).toBe(plain)
  })

  it("takes linear time, for adversarial texts too", () => {
    const redactor = Redactor.patterns(Redactor.commonPatterns)
    // A rule that tries again and again would be busy for minutes.
    for (
      const part of ["eyJ", "-eyJ", "eyJabcdefghij.eyJ", ".eyJ", "ghp_", "sk-", "sk-ant-", "://a:", "Bearer ", "AKIA"]
    ) {
      const text = part.repeat(Math.ceil(1_000_000 / part.length))
      expect(redactor.text(text).length).toBeGreaterThan(0)
    }
  })

  it("leaves the given pattern unchanged", () => {
    const pattern = /a/y
    const redactor = Redactor.patterns([{ pattern }])
    expect(redactor.text("aab\naab\n")).toBe("<redacted><redacted>b\n<redacted><redacted>b\n")
    expect(pattern.lastIndex).toBe(0)
  })
})

describe("Redactor.combine", () => {
  it("applies redactors in order, and drops redactors that do nothing", () => {
    const both = Redactor.combine(
      Redactor.secrets([{ value: "hunter2" }]),
      Redactor.patterns([{ pattern: /[0-9]{4}/ }]),
    )
    expect(inPieces(both, "hunter2 1234 hunter3", [3, 5, 10])).toBe("<redacted> <redacted> hunter3")
    expect(Redactor.combine(Redactor.none, Redactor.none)).toBe(Redactor.none)
  })
})

describe("StreamingRedaction.flush", () => {
  /** Types a text character by character, each flushed, as the echo of a terminal. */
  const typed = (redactor: Redactor.Redactor, text: string): string => {
    const run = redactor.begin()
    let out = ""
    for (const character of text) out += run.push(character) + (run.flush?.() ?? "")
    return out + run.end()
  }

  it("releases a prompt, and no start of a secret", () => {
    const run = Redactor.combine(
      Redactor.patterns(Redactor.commonPatterns),
      Redactor.secrets([{ value: "hunter2" }]),
    ).begin()
    const show = (text: string): string => run.push(text) + (run.flush?.() ?? "")
    expect(show("me@desk-01:~$ ")).toBe("me@desk-01:~$ ")
    expect(show("l")).toBe("l")
    expect(show("s hun")).toBe("s ")
    expect(show("g\n")).toBe("hung\n")
    expect(show("Password:")).toBe("Password:")
  })

  it("finds a secret that is typed character by character", () => {
    const token = `ghp_${"a1B2".repeat(9)}`
    const all = Redactor.combine(
      Redactor.patterns([...Redactor.commonPatterns, { pattern: /\b\d{4}-\d{4}-\d{4}\b/, label: "card" }]),
      Redactor.secrets([{ value: "hunter2" }]),
    )
    const text = `$ login -p hunter2 ${token} https://me:opensesame@host/ 1234-5678-9012 end\n$ echo ${token}`
    const out = typed(all, text)
    expect(out.slice(0, 11)).toBe("$ login -p ")
    expect(out).toContain("end\n$ echo ")
    for (const part of ["hunter", token.slice(4), token.slice(8, 20), "opense", "1234", "9012"]) {
      expect(out).not.toContain(part)
    }
  })

  it("never shows more than the whole text shows, wherever it is cut and flushed", () => {
    const { int, pick } = random(7)
    const rules = Redactor.patterns([{ pattern: /key[ab]{4,}/, contains: ["key"] }, { pattern: /[xy]{5}/ }])
    const words = ["key", "a", "b", "x", "y", " ", "\n", "> ", "k", ":", "keyabab", "xyxyx"]
    for (let round = 0; round < 2_000; round++) {
      const text = Array.from({ length: 20 }, () => pick(words)).join("")
      const run = rules.begin()
      let out = ""
      for (let at = 0; at < text.length;) {
        const end = at + 1 + int(0, 3)
        out += run.push(text.slice(at, end)) + (int(0, 1) === 0 ? run.flush?.() ?? "" : "")
        at = end
      }
      out += run.end()
      expect([text, out.match(/key[ab]{4,}/)]).toEqual([text, null])
      // What is not replaced is there, in order.
      const rest = out.split("<redacted>")
      let at = 0
      for (const part of rest) {
        at = text.indexOf(part, at)
        expect([text, out, at]).not.toEqual([text, out, -1])
        at += part.length
      }
    }
  })

  it("is bounded and fast for a program that draws without newlines", () => {
    const run = Redactor.patterns([...Redactor.commonPatterns, { pattern: /[0-9]{16}/ }]).begin()
    let length = 0
    const started = performance.now()
    for (let round = 0; round < 400; round++) {
      length += run.push(`\x1b[${round};1H${"word sk-".repeat(100)} `).length
      if (round % 4 === 0) length += (run.flush?.() ?? "").length
    }
    length += run.push("z".repeat(300_000)).length + run.end().length
    expect(length).toBeGreaterThan(600_000)
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})
