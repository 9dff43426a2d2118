/** Reads sparse members of tar archives that GNU tar has written. */
import { gunzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { Sandbox } from "@sluice/shell/sandbox"
import { decodeUtf8 } from "../../../src/base/decodeUtf8.ts"
import { sparseArchives } from "./sparseArchives.ts"

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(gunzipSync(Buffer.from(base64, "base64")))

const runOn = async (archive: Uint8Array, script: string) => {
  await using sandbox = await Sandbox.open({ env: { LC_ALL: "C" }, files: { "t.tar": archive } })
  return await sandbox.run(script, { check: false })
}

it.each(sparseArchives)("extracts and lists the members of %s, whose holes take no space", async (_, base64) => {
  const { exitCode, stderr, stdout } = await runOn(
    bytesOf(base64),
    "tar xf t.tar; md5sum b c; tar tvf t.tar | tr -s ' ' | cut -d' ' -f3,6; tar xOf t.tar b | md5sum; rm t.tar; " +
      "[ $(df --output=used -B1 . | tail -n 1) -lt 5000000 ] && echo small",
  )
  expect(stdout.split("\n")).toEqual([
    "2f8f00523af06796af2b04c7d1827461  b",
    "7f021a1415b86f2d013b2618fb31ae53  c",
    "13000000 b",
    "3 c",
    "2f8f00523af06796af2b04c7d1827461  -",
    "small",
    "",
  ])
  expect([stderr, exitCode]).toEqual(["", 0])
})

/** The archive with a text replaced by another of its length. */
const replaced = (base64: string, from: string, to: string): Uint8Array => {
  const bytes = bytesOf(base64)
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
  const at = text.indexOf(from)
  if (at < 0) throw new Error(`no ${from} in ${decodeUtf8(bytes.subarray(0, 2_048))}`)
  bytes.set(new TextEncoder().encode(to), at)
  return bytes
}

it.each(
  [
    ["a map that is no number", "61\n196608\n", "x1\n196608\n"],
    ["more ranges than it has", "61\n196608\n", "99\n196608\n"],
    ["ranges that are not in order", "61\n196608\n", "61\n999999\n"],
    ["a range beyond its end", "GNU.sparse.realsize=13000000", "GNU.sparse.realsize=00000009"],
  ] as const,
)("refuses a member with %s", async (_, from, to) => {
  const base64 = sparseArchives[1]?.[1] ?? ""
  const { exitCode, stderr } = await runOn(replaced(base64, from, to), "tar xf t.tar; code=$?; ls; exit $code")
  expect(stderr).toMatch(/^tar: b: the map of a sparse file is invalid\n/)
  expect(exitCode).toBe(2)
})
