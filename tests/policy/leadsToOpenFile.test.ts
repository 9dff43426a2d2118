import { expect, it } from "@effect/vitest"
import { leadsToOpenFile } from "../../src/policy/leadsToOpenFile.ts"
import type { LeafFiles } from "../../src/shell/LeafFiles.ts"

/** A machine whose process has a file as its input and a pipe as its output. */
const links: Readonly<Record<string, string | undefined>> = {
  "/dev/fd/0": "/home/input",
  "/w/in": "/home/input",
  "/w/out": undefined,
  "/w/devices/": "/dev",
  "/w/devices/x": "/dev/x",
}

const files: LeafFiles = {
  program: (path) => ({ _tag: "Missing", path, code: "ENOENT" }),
  directory: (path) => ({ _tag: "Missing", path, code: "ENOENT" }),
  realPath: (path) => path in links ? links[path] : path.startsWith("/w/") || path === "/w" ? path : undefined,
  isLink: (path) => path in links,
  variable: () => undefined,
  environment: () => undefined,
}

it("finds words that refer to open descriptors", () => {
  const open = (directory: string | undefined, word: string): boolean => leadsToOpenFile({ directory, files }, word)
  for (
    const word of [
      "/dev/stdin",
      "/proc/1/fd/2",
      "/w/../dev/x",
      "/../..//dev/./x",
      "in",
      "/w/in",
      "out",
      "devices/x",
      "devices/gone",
      "../dev/x",
    ]
  ) {
    expect([word, open("/w", word)]).toEqual([word, true])
  }
  for (const word of ["file", "./file", "../w/file", "/w/file", "gone", "dev", "/device", "proc/x"]) {
    expect([word, open("/w", word)]).toEqual([word, false])
  }
  expect([open("/dev", "stdin"), open("/proc/self", "fd/0"), open("/dev/shm", "../stdin")]).toEqual([true, true, true])
  // Without files and without a directory the text is all that there is.
  const known = (directory: string | undefined, word: string) => leadsToOpenFile({ directory, files: undefined }, word)
  expect([known("/dev", "fd/0"), known("/w", "in"), known(undefined, "x"), known(undefined, "/dev/x")]).toEqual([
    ...[true, false, false, true],
  ])
})
