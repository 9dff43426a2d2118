import { expect, it } from "@effect/vitest"
import { CommandId } from "../../src/command/CommandId.ts"
import { maxCommandIdLength } from "../../src/command/plain/commandId.ts"
import { markOf, nestedMarker, newMarker } from "../../src/host/runMarker.ts"
import { forSeeds, type Random } from "../support/random.ts"

const id = "018f3b1c-9e00-7000-8000-0123456789ab"

// Others find the processes of a host that had an older version: how a mark follows from an id can not change.
it("follows from the command's id, always in the same way", () => {
  expect(markOf(id)).toBe("sluice-AY87HJ4AcACAAAEjRWeJqw.")
  expect(markOf("mine")).toBe("sluice-P9MFQv4_YbFL1KSy.")
  expect(markOf(id.toUpperCase())).not.toBe(markOf(id))
})

it("packs all the bits of a UUID", () => {
  const packed = (uuid: string) => Buffer.from(markOf(uuid).slice("sluice-".length, -1), "base64url").toString("hex")
  for (
    const uuid of [id, CommandId.make(), "ffffffff-ffff-ffff-ffff-ffffffffffff", "00000000-0000-0000-0000-000000000001"]
  ) {
    expect(packed(uuid)).toBe(uuid.replaceAll("-", ""))
  }
})

const printable = ({ int }: Random): string =>
  Array.from({ length: int(1, maxCommandIdLength) }, () => String.fromCharCode(int(0x21, 0x7e))).join("")

it("is short, and of plain characters, whatever the id is", () => {
  forSeeds(200, (random) => expect(newMarker(printable(random))).toMatch(/^sluice-[\w-]{16}\.[0-9a-z]{6}$/))
  expect(newMarker(id)).toMatch(/^sluice-[\w-]{22}\.[0-9a-z]{6}$/)
})

it("names the process that started the run", () => {
  expect(newMarker(id, 46_655)).toMatch(/^sluice-[\w-]{22}\.zzz-[0-9a-z]{6}$/)
  expect(newMarker("mine", 1).startsWith(markOf("mine", 1))).toBe(true)
  expect(newMarker("mine", 11).startsWith(markOf("mine", 1))).toBe(false)
  expect(newMarker("mine", 11).startsWith(markOf("mine"))).toBe(true)
})

it("is another for each run, and never the beginning of another", () => {
  const markers = Array.from({ length: 1_000 }, () => newMarker("one"))
  expect(new Set(markers).size).toBe(1_000)
  expect(new Set(markers.map((each) => each.length)).size).toBe(1)
})

it("is not found by any id if the run has none", () => {
  expect(newMarker()).toMatch(/^sluice-\.[0-9a-z]{12}$/)
  expect(newMarker()).not.toBe(newMarker())
})

it("follows the complete markers of the enclosing runs", () => {
  expect(nestedMarker(undefined, "b")).toBe("b")
  expect(nestedMarker("", "b")).toBe("b")
  expect(nestedMarker("a", "b")).toBe("a:b")
  let nested: string | undefined
  const markers: Array<string> = []
  for (let depth = 0; depth < 20; depth++) {
    const marker = newMarker(CommandId.make())
    markers.push(marker)
    nested = nestedMarker(nested, marker)
    const kept = nested.split(":")
    // Itself, and the six around it.
    expect(kept).toEqual(markers.slice(-7))
  }
})

it("drops invalid markers, and keeps the others", () => {
  expect(nestedMarker(`a:${"x".repeat(1_000)}:b`, "c")).toBe("a:b:c")
  expect(nestedMarker("::", "c")).toBe("c")
})
