/** Compares the output of C programs, built with their libc, in the kernel and under `node:wasi`. */
import { describe, expect, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { canCompileC, compileC, hasNodeWasi, runKernel, runNodeWasi, type WasiRun } from "../../support/wasi.ts"

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

interface Case extends WasiRun {
  readonly title: string
  readonly program: string
  readonly exitCode?: number
  readonly stderr?: string
  /** Its expected output. Default: the file `.out` beside its source. */
  readonly says?: string
  /**
   * Lines that differ from Node 24, whose WASI lists no `.` and `..` and no inode numbers, skips entries when files are
   * removed during a listing, fails where a link does not fit its buffer, follows links despite O_NOFOLLOW, rounds times
   * to seconds, reports flags that were not set, returns other errnos for invalid pointers and for sockets, and polls no
   * files.
   */
  readonly unlikeNode?: ReadonlyArray<string>
}

const manyLines = Array.from({ length: 100_000 }, (_, index) => `${index} ${"x".repeat(index % 100)}`).join("\n")

const cases: ReadonlyArray<Case> = [
  {
    title: "gives arguments, environment and exit code",
    program: "arguments",
    args: ["3", "ä", "a b", ""],
    env: { GREETING: "hi", EMPTY: "", EQUALS: "a=b" },
    exitCode: 3,
    stderr: "complaint\n",
    says: [
      "1: 1 <3>",
      "2: 2 <ä>",
      "3: 3 <a b>",
      "4: 0 <>",
      "3 variables",
      "GREETING: hi",
      "EMPTY: ",
      "EQUALS: a=b",
      "NONE: (not there)",
      "now gone",
      "goodbye\n",
    ].join("\n"),
  },
  { title: "opens, reads, writes, seeks, cuts and removes files", program: "files" },
  {
    title: "lists a thousand files, goes back in the listing, and removes them while it lists",
    program: "folders",
    unlikeNode: [
      "1000 files, 1 folders, 2 dots, 0 twice, 0 wrong",
      "1003 again",
      "1000 removed",
      'rmdir("many/"): 0',
      'rmdir("many"): No such file or directory',
      'opendir("many"): No such file or directory',
      ". .. a b c ",
    ],
  },
  {
    title: "makes and follows links, renames, and sets times",
    program: "links",
    unlikeNode: [
      'readlink("to-file", target, 2): 2',
      'open("to-file", O_RDONLY | O_NOFOLLOW): Symbolic link loop',
      'open("dangling", O_CREAT | O_EXCL | O_RDWR, 0644): File exists',
      "1000.5 2000.6",
      "1000.5 3000.7",
    ],
  },
  {
    title: "without a libc makes the calls themselves, with 64-bit numbers, rights and wild pointers",
    program: "abi",
    unlikeNode: [
      "type 4 flags 0 bytes 1 others 0",
      "__wasi_fd_write(narrow, &out, 1, &n): 8",
      '__wasi_path_open(file, 0, "x", 0, 0, 0, 0, &narrow): 54',
      "__wasi_sock_shutdown(99, __WASI_SDFLAGS_RD): 8",
      "__wasi_fd_fdstat_get(file, stat): 21",
      "__wasi_fd_read(file, &wild, 1, &n): 21",
      "__wasi_random_get((uint8_t *)NOWHERE, 32): 21",
      "__wasi_clock_time_get(0, 0, (__wasi_timestamp_t *)0xfffffffc): 21",
    ],
  },
  {
    title: "reads standard input line by line, the last one without a newline too",
    program: "lines",
    stdin: "one\n\nthree is longer\nfour",
    says: "1: one\n2: \n3: three is longer\n4 lines, 25 bytes, longest 16\n",
  },
  {
    title: "reads many lines",
    program: "lines",
    stdin: manyLines,
    says: `1: 0 \n2: 1 x\n3: 2 xx\n100000 lines, ${manyLines.length} bytes, longest 106\n`,
  },
  { title: "knows the end of an empty input", program: "lines", says: "0 lines, 0 bytes, longest 0\n" },
  {
    title: "scans and prints numbers and words",
    program: "lines",
    args: ["words"],
    stdin: "12 3.5 word\n-7 1e300 wörter\n  2147483647\t-0.125 x\nend",
    says: [
      "0: +0000012 c 3.500e+00 3.5     3.5000 [word    ] [wo]",
      `1: -0000007 fffffff9 1.000e+300 1e+300 ${BigInt(1e300)}.0000 [wörter ] [w\xc3]`.replace("\xc3", "\ufffd"),
      "2: +2147483647 7fffffff -1.250e-01 -0.125    -0.1250 [x       ] [x]",
      "3, at the end 0\n",
    ].join("\n"),
  },
  {
    title: "sleeps, tells the time, and polls",
    program: "waits",
    stdin: "x",
    unlikeNode: ["poll(fds + 1, 1, 1000): 1", "writable: 1", "poll(fds, 1, 1000): 1", "readable: 1"],
  },
]

describe.runIf(canCompileC)("with programs built from C", () => {
  for (const { exitCode = 0, program, says, stderr = "", title, unlikeNode = [], ...run } of cases) {
    const expected = async () =>
      says ?? await readFile(new URL(`../../fixtures/wasi/${program}.out`, import.meta.url), "utf8")

    it(`a C program ${title}`, async () => {
      const ran = await runKernel(await compileC(program), run)
      expect({ ...ran, stdout: text(ran.stdout) }).toEqual({ exitCode, stdout: await expected(), stderr })
    })

    if (hasNodeWasi) {
      it(`under node:wasi a C program ${title}, but for what Node does wrong`, async () => {
        const ran = await runNodeWasi(await compileC(program), run)
        expect([ran.exitCode, ran.stderr]).toEqual([exitCode, stderr])
        const theirs = text(ran.stdout).split("\n")
        const ours = (await expected()).split("\n")
        expect(ours.filter((line, index) => line !== theirs[index])).toEqual(unlikeNode)
      })
    }
  }

  const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

  it("a C program writes two million bytes in pieces of all sizes while its memory grows", async () => {
    const ran = await runKernel(await compileC("flood"))
    expect({ ...ran, stdout: ran.stdout.length }).toEqual({
      exitCode: 0,
      stdout: 2_097_930,
      stderr: "2097930 bytes, 1090647011\n",
    })
    // The generator of the program, here again.
    const bytes = new Uint8Array(ran.stdout.length)
    let state = 1
    for (let index = 0; index < bytes.length; index++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      bytes[index] = state >>> 24
    }
    expect(digest(ran.stdout)).toBe(digest(bytes))
  })

  it("a C program gets random bytes, and others each time", async () => {
    const module = await compileC("chance")
    const ran = await runKernel(module)
    expect(text(ran.stdout).split("\n")).toEqual([
      "getentropy(a, sizeof a): 0",
      "getentropy(b, sizeof b): 0",
      "same: 0",
      "mostly zero: 0",
      "getentropy(a, 257): I/O error",
      "",
    ])
  })
})
