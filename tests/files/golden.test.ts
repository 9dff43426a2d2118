/** The encoded form of every entry of the FileSystem branch is that of the golden file, and has the fields of its specification. */
import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { FileSystemBranch } from "../../src/leaves/files/mod.ts"
import { events, faults, requests } from "./golden/values.ts"

const lines = readFileSync(new URL("./golden/v1.ndjson", import.meta.url), "utf8").split("\n").slice(0, -1)

/** `005-filesystem-branch-facts.md`: fields by tag, and the optional ones. Ours adds `chunked`, `permissions` and `code`. */
const specification: Readonly<Record<string, readonly [required: string, optional: string]>> = {
  FileRead: ["path", "offset length"],
  FileWrite: ["path content createMode", "chunked permissions"],
  FileList: ["path", "pattern recursive"],
  FileDelete: ["path", "recursive"],
  FileStat: ["path", ""],
  FileContent: ["content totalSize isPartial", ""],
  FileContentChunk: ["offset data isFinal", ""],
  FileWritten: ["path bytesWritten", ""],
  FileListing: ["entries", ""],
  FileListingChunk: ["entries isFinal", ""],
  FileDeleted: ["path deletedCount", ""],
  FileMetadata: ["size modified isDirectory isSymlink", "created permissions"],
  FileFault: ["faultKind path message", "code"],
}

const words = (text: string): ReadonlyArray<string> => text === "" ? [] : text.split(" ")

const encoded = [
  ...requests.map((request) => FileSystemBranch.request.encode(request)),
  ...[...events, ...faults].map((event) => FileSystemBranch.event.encode(event)),
]

describe("the FileSystem branch", () => {
  it("encodes its entries to the lines of the golden file", () => {
    expect(encoded.map((body) => JSON.stringify(body))).toEqual(lines)
  })

  it("decodes the golden file", () => {
    const decoded = lines.map((line, index) => {
      const body = JSON.parse(line)
      const codec = index < requests.length ? FileSystemBranch.request : FileSystemBranch.event
      return Result.getOrThrow<unknown, unknown>(codec.decode(body, FileSystemBranch.version))
    })
    expect(decoded).toEqual([...requests, ...events, ...faults])
  })

  it("has the tags and fields of the specification", () => {
    const seen = new Map<string, Set<string>>()
    for (const { _tag, ...fields } of encoded) {
      const [required, optional] = specification[String(_tag)] ?? ["", ""]
      const names = Object.keys(fields).filter((name) => name !== "correlationId")
      expect([_tag, words(required).filter((name) => !names.includes(name))]).toEqual([_tag, []])
      expect([_tag, names.filter((name) => !words(`${required} ${optional}`).includes(name))]).toEqual([_tag, []])
      expect(fields["correlationId"]).toBe("r1")
      seen.set(String(_tag), new Set([...seen.get(String(_tag)) ?? [], ...names]))
    }
    // Each tag is there, with each of its optional fields at least once.
    for (const [tag, [required, optional]] of Object.entries(specification)) {
      expect([tag, [...seen.get(tag) ?? []].sort()]).toEqual([tag, words(`${required} ${optional}`.trim()).toSorted()])
    }
    expect(
      [...FileSystemBranch.request.tags, ...FileSystemBranch.event.tags].filter((tag) => tag !== "StreamEnd").sort(),
    )
      .toEqual(Object.keys(specification).toSorted())
  })
})
