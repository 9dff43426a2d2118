/** Runs every utility that reads over input without an end and without a newline: none holds the event loop or the memory. */
import { expect, it } from "vitest"
import { Sandbox } from "@sluice/shell/sandbox"

/** With this variable the strict bounds hold, for a quiet machine; without it those that a busy one holds too. */
const strict = process.env["SLUICE_EXACT_TIMES"] === "1"
const maxBlockedMillis = strict ? 100 : 1_000
// Other files run in this process, and runtimes free their memory late.
const maxGrownBytes = (strict ? 64 : 256) * 1024 * 1024
const maxLateMillis = 200

/** A limit that the endless line of a pipe reaches soon. */
const maxLineBytes = 1_000_000

/** Milliseconds of processor time of this process. */
const cpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}

/** Runs a script. Returns how long it blocked the event loop, without the time that other programs had the processor. */
const watch = async (script: string, timeout: number) => {
  const sandbox = await Sandbox.open({ limits: { maxLineBytes } })
  let [at, cpu, blockedMillis, grownBytes] = [performance.now(), cpuMillis(), 0, 0]
  const before = process.memoryUsage().rss
  const beat = (): void => {
    const [now, used] = [performance.now(), cpuMillis()]
    blockedMillis = Math.max(blockedMillis, Math.min(now - at, used - cpu))
    grownBytes = Math.max(grownBytes, process.memoryUsage().rss - before)
    ;[at, cpu] = [now, used]
  }
  const timer = setInterval(beat, 5)
  const start = at
  const end = await sandbox.run(script, { timeout }).then(
    ({ exitCode, stderr }) => ({ exitCode, stderr }),
    (error) => error,
  )
  const lateMillis = performance.now() - start - timeout
  beat()
  clearInterval(timer)
  await sandbox.close()
  return { end, blockedMillis, grownBytes, lateMillis }
}

/** Input without an end: a command that makes it, or the file that it is in. */
const inputs = [
  ["/dev/zero", "", "/dev/zero"],
  ["a sparse file of 100 GB", "truncate -s 100G b; ", "b"],
  ["a pipe", "yes | tr -d '\\n' | ", undefined],
] as const

const lineReaders = [
  ...["cat -n", "cat -A", "comm - /dev/null", "cut -c1-3", "cut -f1", "diff - /dev/null", "expand", "fold", "fold -s"],
  ...[
    "grep -c x",
    "grep -F x",
    "grep -f - x",
    "grep -o x",
    "grep -v x",
    "grep '\\(a\\)\\1'",
    "head -n -1",
    "join - /dev/null",
    "jq -R .",
  ],
  ...["nl", "paste", "paste -s", "rev", "sed -n '$p'", "sed N", "sed y/a/b/", "sed -f -", "sort", "sort -R", "sort -c"],
  ...[
    "bc",
    "column -t",
    "envsubst",
    "fmt",
    "numfmt --invalid=ignore",
    "patch f",
    "rg -a x -",
    "rg -aU x -",
    "shuf",
    "tsort",
  ],
  ...["sort -u", "split -l 1", "tac", "tail", "tail -n 1", "unexpand", "uniq", "uniq --group", "xargs"],
]

const streamers = [
  ...[
    "base64",
    "cat",
    "head -n 1",
    "md5sum",
    "od",
    "sha256sum",

    "tail -c 5",
    "tail -n +2",
  ],
  ...[
    "b2sum",
    "cksum",
    "sum",
    "sum -s",
    "dd",
    "gzip",
    "hexdump",
    "iconv -t UTF-16LE",
    "less",
    "zcat -f",
    "zip -q - -",
  ],
  ...["tee", "tr a b", "wc", "wc -L", "wc -w", "xxd", "read x", "mapfile x"],
]

const casesOf = (utilities: ReadonlyArray<string>) =>
  utilities.flatMap((utility) =>
    inputs.map(([name, make, file]) => {
      const reads = file === undefined ? utility : `{ ${utility}; } < ${file}`
      return [utility, name, `${make}${reads} > /dev/null`] as const
    })
  )

const expectBounds = ({ blockedMillis, grownBytes, lateMillis }: Awaited<ReturnType<typeof watch>>): void => {
  expect(blockedMillis).toBeLessThan(maxBlockedMillis)
  expect(grownBytes).toBeLessThan(maxGrownBytes)
  if (strict) expect(lateMillis).toBeLessThan(maxLateMillis)
}

// The timeout is for the strict bounds: on a busy machine the line may take longer to become too long.
it.each(casesOf(lineReaders))("%s refuses the endless line of %s", async (utility, _, script) => {
  const ended = await watch(script, strict ? 1_000 : 60_000)
  const name = utility.split(" ")[0]
  if (!(strict && ended.end instanceof Sandbox.SandboxError)) {
    expect(ended.end.stderr).toMatch(
      new RegExp(`^${name}: .*line too long \\(limits.maxLineBytes is ${maxLineBytes}\\)\n$`),
    )
    expect(ended.end.exitCode).toBe(/^(diff|grep|jq|numfmt|patch|rg|sort)$/.test(name ?? "") ? 2 : 1)
  }
  expectBounds(ended)
})

it.each(casesOf(streamers))("%s reads %s until the timeout", async (_, __, script) => {
  const ended = await watch(script, strict ? 1_000 : 100)
  expect(ended.end).toMatchObject({ reason: { _tag: "Timeout" } })
  expectBounds(ended)
})

it.each([
  "jq -n 'def f: f; f'",
  "jq -n 'last(repeat(1))'",
  "jq -n 'repeat([range(1e5)] | sort | tojson | length)'",
  "jq -n 'repeat([range(3e5) | {a: .}] | map(.a) | add)'",
  `jq -n 'repeat(("ab" * 2e5) | test("(a|b|ab)*c"))'`,
  "yes '[1,{\"a\":2}]' | jq -n 'last(inputs)'",
  "yes '[1,{\"a\":2},' | tr -d '\\n' | jq -n --stream 'last(inputs)'",
])("%s runs until the timeout", async (script) => {
  const ended = await watch(`${script} > /dev/null`, strict ? 1_000 : 300)
  expect(ended.end).toMatchObject({ reason: { _tag: "Timeout" } })
  expectBounds(ended)
})

it("counts the lines of all processes together, and no line of a process that has ended", async () => {
  await using sandbox = await Sandbox.open({ limits: { maxLineBytes } })
  const line = "head -c 600000 /dev/zero | tr '\\0' a > f; "
  const { stderr, stdout } = await sandbox.run(
    `${line} rev f | wc -c; rev f | wc -c; { cat f; sleep 0.2; } | rev | wc -c & ` +
      "{ cat f; sleep 0.2; } | rev | wc -c; wait; rev f | wc -c",
  )
  expect(stderr).toBe(`rev: -: line too long (limits.maxLineBytes is ${maxLineBytes})\n`)
  expect(stdout.split("\n").sort()).toEqual(["", "0", "600000", "600000", "600000", "600000"])
})

it("takes a line of the default limit through a pipeline, and lines of 64 KiB without a limit", async () => {
  await using sandbox = await Sandbox.open()
  const { stdout } = await sandbox.run("head -c 4000000 /dev/zero | tr '\\0' a | sed s/^a/b/ | rev | cut -c 2- | wc -c")
  expect(stdout).toBe("4000000\n")
  await using strictest = await Sandbox.open({ limits: { maxLineBytes: 0 } })
  expect(await strictest.run("head -c 65000 /dev/zero | sed 's/$/\\n/' | rev | wc -c")).toMatchObject({
    stdout: "65001\n",
  })
  expect(await strictest.run("head -c 66000 /dev/zero | rev; true")).toMatchObject({
    stderr: "rev: -: line too long (limits.maxLineBytes is 0)\n",
  })
})
