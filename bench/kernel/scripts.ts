/** Scripts as agents write them: in a Sandbox, by bash with the machine's programs, and in just-bash. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { Bash, OverlayFs } from "just-bash"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hostFolder, readOnly, Sandbox } from "../../src/sandbox/mod.ts"

/** One script, the file that it reads, and the machine's name of a program where it differs. */
interface Script {
  readonly text: string
  readonly input?: { readonly name: string; readonly lines: number; readonly line: (index: number) => string }
  readonly native?: string
}

/** Scripts by their rows. Files are at `/data` in a sandbox. */
export const scripts: Readonly<Record<string, Script>> = {
  pipeline: { text: "seq 1 100000 | grep 7 | sort | uniq -c | head" },
  loop: { text: "i=0; sum=0; while [ $i -lt 20000 ]; do sum=$((sum + i)); i=$((i + 1)); done; echo $sum" },
  sed: {
    text: "sed -e 's/[0-9][0-9]*/N/g' -e '/debug/d' /data/lines.txt | md5sum",
    input: {
      name: "lines.txt",
      lines: 200_000,
      line: (index) =>
        `2026-11-${index % 28} ${index % 5 === 0 ? "debug" : "info"} request ${index} took ${index % 977} ms`,
    },
  },
  awk: {
    text: "awk '{ sum += $2 } END { print sum }' /data/column.txt",
    native: "mawk",
    input: { name: "column.txt", lines: 5_000_000, line: (index) => `host${index % 100} ${index % 400} ok` },
  },
  jq: {
    text: "jq -r 'select(.n > 500) | .name' /data/events.ndjson | md5sum",
    input: {
      name: "events.ndjson",
      lines: 500_000,
      line: (index) =>
        `{"id":${index},"n":${index % 1000},"name":"event ${index}","tags":["a","b"],"at":{"x":1.5,"y":null}}`,
    },
  },
}

/** The folder with the file of a script, written once. */
const inputFolder = (folder: string, { input }: Script): string => {
  const data = join(folder, "data")
  mkdirSync(data, { recursive: true })
  if (input !== undefined && !existsSync(join(data, input.name))) {
    const text: Array<string> = []
    for (let index = 0; index < input.lines; index++) text.push(`${input.line(index)}\n`)
    writeFileSync(join(data, `${input.name}.new`), text.join(""))
    renameSync(join(data, `${input.name}.new`), join(data, input.name))
  }
  return data
}

const openSandbox = (data: string) =>
  Effect.runPromise(
    Scope.provide(Sandbox.make({ mounts: { "/data": readOnly(hostFolder(data)) } }), Scope.makeUnsafe()),
  )

/** Runs a script to its end, as often as it is called. */
const runnerOf = async (tool: string, script: Script, folder: string): Promise<() => Promise<string>> => {
  const data = inputFolder(folder, script)
  if (tool === "native") {
    const text = script.text.replaceAll("/data/", `${data}/`).replace(/^awk/, script.native ?? "awk")
    return () => Promise.resolve(execFileSync("bash", ["-c", text], { encoding: "utf8" }))
  }
  if (tool === "just-bash") {
    const bash = new Bash({
      fs: new OverlayFs({ root: data, mountPoint: "/data", readOnly: true, maxFileReadSize: 1e9 }),
      executionLimits: { maxLoopIterations: 1e7, maxCommandCount: 1e7, maxAwkIterations: 1e8, maxSedIterations: 1e8 },
    })
    return async () => (await bash.exec(script.text)).stdout
  }
  const sandbox = await openSandbox(data)
  return async () => (await Effect.runPromise(sandbox.run(script.text))).stdout
}

const timed = async (work: () => Promise<string>): Promise<readonly [string, number]> => {
  const before = performance.now()
  const answer = await work()
  return [answer, performance.now() - before]
}

/** Milliseconds of a warm run: the fastest of the tool's own after the first. Its output is that of bash. */
export const scriptTime = async (row: string, tool: string, folder: string): Promise<{ readonly ms: number }> => {
  const script = scripts[row]
  if (script === undefined) throw new Error(`no such script: ${row}`)
  const expected = await (await runnerOf("native", script, folder))()
  const run = await runnerOf(tool, script, folder)
  const times: Array<number> = []
  for (let round = 0; round < 4; round++) {
    const [answer, ms] = await timed(run)
    // just-bash aligns the counts of uniq in another way.
    if (answer.replaceAll(/ +/g, " ") !== expected.replaceAll(/ +/g, " ")) {
      throw new Error(`${tool} gave ${JSON.stringify(answer.slice(0, 200))}`)
    }
    times.push(ms)
  }
  return { ms: Math.min(...times.slice(1)) }
}

/** Milliseconds of a new sandbox with one command, which is closed again: the mean of `times`, after some. */
export const freshTime = async (tool: string, times: number): Promise<{ readonly ms: number }> => {
  const once = async (): Promise<string> => {
    if (tool === "native") return execFileSync("bash", ["-c", "echo hello"], { encoding: "utf8" })
    if (tool === "just-bash") return (await new Bash().exec("echo hello")).stdout
    const run = Effect.flatMap(Sandbox.make(), (sandbox) => sandbox.run("echo hello"))
    return (await Effect.runPromise(Effect.scoped(run))).stdout
  }
  for (let round = 0; round < 20; round++) await once()
  const [, ms] = await timed(async () => {
    for (let round = 0; round < times; round++) {
      if (await once() !== "hello\n") throw new Error(`${tool} did not say hello`)
    }
    return ""
  })
  return { ms: ms / times }
}
