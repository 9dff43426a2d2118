import { describe, expect, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import { canonicalJson } from "../../src/base/canonicalJson.ts"
import { plainly } from "../support/journal-contract/chain.ts"
import { forSeeds, type Random, randomText } from "../support/random.ts"

describe("RFC 8785", () => {
  it("writes the example of section 3.2.2", () => {
    const value = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`)
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  it("sorts the keys of section 3.2.3 by their UTF-16 units", () => {
    const value = JSON.parse(String.raw`{
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }`)
    expect(canonicalJson(value)).toBe(
      `{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis",` +
        `"\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}`,
    )
  })

  /** Appendix B: the bits of a double, and how it is written. */
  const numbers: Readonly<Record<string, string>> = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
  }

  const doubleOf = (bits: string): number => {
    const view = new DataView(new ArrayBuffer(8))
    view.setBigUint64(0, BigInt(`0x${bits}`))
    return view.getFloat64(0)
  }

  it("writes the numbers of appendix B", () => {
    for (const [bits, text] of Object.entries(numbers)) {
      expect(canonicalJson(doubleOf(bits))).toBe(text)
      expect(canonicalJson({ b: [doubleOf(bits)], a: doubleOf(bits) })).toBe(`{"a":${text},"b":[${text}]}`)
    }
  })

  it("refuses numbers that JSON lacks, at any depth", () => {
    for (const bits of ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"]) {
      const wrong = doubleOf(bits)
      for (const value of [wrong, [wrong], { a: wrong }, { b: 1, a: [{ c: 1, b: wrong }] }, [{ b: 1, a: 1 }, wrong]]) {
        expect(() => canonicalJson(value)).toThrow(/is not a JSON number/)
      }
    }
  })
})

it("refuses a value that JSON lacks instead of omitting it", () => {
  const odd: ReadonlyArray<object> = [
    { f: () => 1 },
    { z: 1, a: { s: Symbol("s") } },
    [1n],
    { list: [{ b: 1, a: 2n }] },
  ]
  for (const value of odd) {
    expect(() => Reflect.apply(canonicalJson, undefined, [value])).toThrow(/is not a JSON value/)
  }
})

it("escapes a lone surrogate, and only that", () => {
  expect(canonicalJson({ "\ude00": "\ud83d", a: "\ud83d\ude00" })).toBe(String.raw`{"a":"😀","\ude00":"\ud83d"}`)
})

it("omits a key without a value", () => {
  for (const value of [{ b: 1, a: 2, c: undefined }, { a: 2, b: 1, c: undefined }]) {
    expect(Reflect.apply(canonicalJson, undefined, [value])).toBe('{"a":2,"b":1}')
  }
})

it("has an own key __proto__ as any other", () => {
  const value = JSON.parse('{"b":1,"__proto__":{"d":1,"c":2},"a":3}')
  expect(canonicalJson(value)).toBe('{"__proto__":{"c":2,"d":1},"a":3,"b":1}')
})

const jsonOf = (source: Random, depth: number): Schema.Json => {
  const { int, pick } = source
  const kind = depth === 0 ? int(0, 4) : int(0, 7)
  if (kind === 0) return null
  if (kind === 1) return int(0, 1) === 0
  if (kind === 2) return pick([0, -1, 1.5, 1e300, -1e-9, int(-1_000, 1_000)])
  if (kind <= 4) return randomText(source, 6)
  const length = int(0, 5)
  if (kind === 5) return Array.from({ length }, () => jsonOf(source, depth - 1))
  const keys = ["_tag", "a", "b", "10", "9", "A", "é", "😀", "\ufb33", "", "aa", "__proto__"]
  return Object.fromEntries(Array.from({ length }, () => [pick(keys), jsonOf(source, depth - 1)]))
}

/** The same value, its keys in another order. */
const shuffled = (value: Schema.Json, source: Random): Schema.Json => {
  if (typeof value !== "object" || value === null) return value
  if (value instanceof Array) return value.map((item) => shuffled(item, source))
  const entries = Object.entries(value).map(([key, item]) => ({ key, item, order: source.next() }))
  entries.sort((a, b) => a.order - b.order)
  return Object.fromEntries(entries.map(({ item, key }) => [key, shuffled(item, source)]))
}

it("writes equal values alike, as a second implementation does, and they can be read back", () =>
  forSeeds(500, (source) => {
    const value = jsonOf(source, 4)
    const text = canonicalJson(value)
    expect(text).toBe(plainly(value))
    expect(canonicalJson(shuffled(value, source))).toBe(text)
    expect(canonicalJson(JSON.parse(text))).toBe(text)
  }))
