import { describe, expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { Redactor } from "@sluice/shell/journal"
import { random } from "../support/random.ts"

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

  it("holds back only what may be the beginning of a secret", () => {
    const run = Redactor.secrets([{ value: "abcdef" }]).begin()
    expect(run.push("xx abc")).toBe("xx ")
    expect(run.push("x")).toBe("abcx")
    expect(run.push("no")).toBe("no")
    expect(run.push("abcde")).toBe("")
    expect(run.end()).toBe("abcde")
  })

  it("makes one marker of secrets that overlap, and of one that is the beginning of another", () => {
    const redactor = Redactor.secrets([{ value: "abcd1234" }, { value: "1234efgh" }, { value: "abcd1234zz" }], {
      encoded: false,
    })
    expect(redactor.text("-abcd1234efgh-abcd1234zz-abcd1234z")).toBe("-<redacted>-<redacted>-<redacted>z")
  })

  it("takes the label of a Redacted, and looks for how a secret is printed in JSON, URLs and base64", () => {
    const redactor = Redactor.secrets([{ value: Redacted.make('p"ss word', { label: "db" }) }])
    expect(redactor.text(String.raw`p"ss word | p\"ss word | p%22ss%20word | cCJzcyB3b3Jk`)).toBe(
      "<redacted:db> | <redacted:db> | <redacted:db> | <redacted:db>",
    )
  })

  it("finds each long line of a secret of several lines", () => {
    const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nshort\n-----END KEY-----\n"
    const redactor = Redactor.secrets([{ value: key }])
    expect(redactor.text("  MIIEvQIBADANBgkqhkiG9w0B\n")).toBe("  <redacted>\n")
    expect(redactor.text(key)).toBe("<redacted>")
  })

  it("does not look for secrets of less than four characters, nor for none", () => {
    expect(Redactor.secrets([{ value: "" }, { value: "abc" }])).toBe(Redactor.none)
  })

  it("gives the same however a text is cut, and no secret is in it", () => {
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
})

describe("Redactor.patterns", () => {
  it("replaces what looks like a secret, also when the line comes in pieces", () => {
    const token = `ghp_${"x1Y2".repeat(9)}`
    const redactor = Redactor.patterns(Redactor.commonPatterns)
    const text = `a ${token}\nAuthorization: Bearer abcdef0123456789ABCDEF==\nAKIAABCDEFGHIJKLMNOP`
    const expected =
      "a <redacted:GitHub token>\nAuthorization: Bearer <redacted:bearer token>\n<redacted:AWS access key id>"
    for (let cut = 0; cut <= text.length; cut++) expect(inPieces(redactor, text, [cut])).toBe(expected)
  })

  it("lets whole lines through at once", () => {
    const run = Redactor.patterns([{ pattern: /secret/ }]).begin()
    expect(run.push("one\ntwo secret\nthr")).toBe("one\ntwo <redacted>\n")
    expect(run.push("ee\n")).toBe("three\n")
    expect(run.end()).toBe("")
  })

  it("cuts a line that does not end, at the same places however it comes", () => {
    const redactor = Redactor.patterns([{ pattern: /x{10}/ }])
    const text = `${"y".repeat(Redactor.maxLineLength - 5)}${"x".repeat(10)}${"y".repeat(100)}`
    expect(redactor.text(text)).toBe(text)
    expect(inPieces(redactor, text, [7, 65_530, 65_600])).toBe(text)
    const run = redactor.begin()
    expect(run.push(text).length).toBe(Redactor.maxLineLength)
  })

  it("does not change the pattern that it was given", () => {
    const pattern = /a/y
    const redactor = Redactor.patterns([{ pattern }])
    expect(redactor.text("aab\naab\n")).toBe("<redacted><redacted>b\n<redacted><redacted>b\n")
    expect(pattern.lastIndex).toBe(0)
  })
})

describe("Redactor.combine", () => {
  it("puts one after the other, and drops those that do nothing", () => {
    const both = Redactor.combine(
      Redactor.secrets([{ value: "hunter2" }]),
      Redactor.patterns([{ pattern: /[0-9]{4}/ }]),
    )
    expect(inPieces(both, "hunter2 1234 hunter3", [3, 5, 10])).toBe("<redacted> <redacted> hunter3")
    expect(Redactor.combine(Redactor.none, Redactor.none)).toBe(Redactor.none)
  })
})
