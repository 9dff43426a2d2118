/** One measurement of the kernel in a process of its own: `measure.ts ROW TOOL JOB`; writes its values as one line of JSON. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { Bash } from "just-bash"
import { execFileSync } from "node:child_process"
import { readFileSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import process from "node:process"
import { VirtualFileSystem } from "../../src/kernel/fs/VirtualFileSystem.ts"
import { Kernel } from "../../src/kernel/mod.ts"
import { BufferFile } from "../../src/kernel/process/BufferFile.ts"
import { NullFile } from "../../src/kernel/process/NullFile.ts"
import { systemClock } from "../../src/kernel/process/KernelClock.ts"
import type { OpenFile } from "../../src/kernel/OpenFile.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import type { Program } from "../../src/kernel/System.ts"
import type { Values } from "../rows/Row.ts"
import { decodeJob, type Job } from "./Job.ts"
import type { Pipeline, Stages } from "./Pipeline.ts"
import { freshTime, scripts, scriptTime } from "./scripts.ts"

const must = <A>(answer: A | number): A => {
  if (typeof answer === "number") throw new Error(`errno ${-answer}`)
  return answer
}

/** The stages are started by a process, as a shell would: so that what is measured are its system calls. */
const starter = (stages: Stages): Program => async (system) => {
  const pids: Array<number> = []
  let input = system.dup(0)
  for (const [index, words] of stages.entries()) {
    const [read, write] = index === stages.length - 1 ? [-1, system.dup(1)] : must(system.pipe())
    pids.push(
      system.spawn({
        program: "stage",
        args: ["stage", ...words],
        fds: [[0, input], [1, write], [2, 2]],
      }),
    )
    system.close(input)
    system.close(write)
    input = read
  }
  for (const pid of pids) await system.wait(pid)
  return 0
}

const start = (
  kernel: Kernel,
  program: Program,
  stdin: OpenFile,
  stdout: OpenFile,
): Promise<unknown> =>
  must(
    kernel.start({
      program,
      args: ["bench"],
      fds: { 0: stdin, 1: stdout, 2: new NullFile() },
    }),
  ).exited

const makeKernel = (job: Job): Kernel =>
  Kernel.make({
    fileSystem: VirtualFileSystem.make({ now: systemClock.now }),
    programs: {
      stage: new Uint8Array(readFileSync(job.wasm)),
    },
  })

const inKernel = (kernel: Kernel): Pipeline => async (stages) => {
  const stdout = new BufferFile()
  await start(kernel, starter(stages), new NullFile(), stdout)
  return stdout.text
}

const native = (job: Job): Pipeline => (stages) => {
  const line = stages.map((words) => `'${job.native}' ${words.join(" ")}`).join(
    " | ",
  )
  return Promise.resolve(
    execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" }),
  )
}

/** A pipe and back: each turn is two switches from one program to the other. */
const pingPong = (turns: number): Program => async (system) => {
  const [there, toThere] = must(system.pipe())
  const [back, toBack] = must(system.pipe())
  const ping = system.spawn({
    program: "stage",
    args: ["stage", "ping", String(turns)],
    fds: [[0, back], [1, toThere], [2, 2]],
  })
  const pong = system.spawn({
    program: "stage",
    args: ["stage", "pong"],
    fds: [[0, there], [1, toBack], [2, 2]],
  })
  for (const fd of [there, toThere, back, toBack]) system.close(fd)
  await system.wait(ping)
  await system.wait(pong)
  return 0
}

/** Processes that wait for a byte, and then all get it: what each takes while it waits. */
const crowd = (count: number, waiting: () => void): Program => async (system) => {
  const [read, write] = must(system.pipe())
  for (let started = 0; started < count; started++) {
    system.spawn({
      program: "stage",
      args: ["stage", "wait"],
      fds: [[0, read], [1, 1], [2, 2]],
    })
  }
  system.close(read)
  await system.sleep(500)
  waiting()
  system.close(write)
  for (let ended = 0; ended < count; ended++) await system.wait(-1)
  return 0
}

/** `echo hello | cat | wc -c`, as a script. */
const tinyScript = "echo hello | cat | wc -c"

const inSandbox = async (): Promise<() => Promise<string>> => {
  const sandbox = await Effect.runPromise(
    Scope.provide(Sandbox.make(), Scope.makeUnsafe()),
  )
  return async () => (await Effect.runPromise(sandbox.run(tinyScript))).stdout
}

const inJustBash = (): () => Promise<string> => {
  const bash = new Bash()
  return async () => (await bash.exec(tinyScript)).stdout
}

const tinyScripts: Readonly<
  Record<string, () => (() => Promise<string>) | Promise<() => Promise<string>>>
> = {
  shell: inSandbox,
  "just-bash": inJustBash,
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const before = performance.now()
  await work()
  return performance.now() - before
}

const rows: Readonly<
  Record<
    string,
    (
      pipeline: Pipeline,
      kernel: Kernel,
      job: Job,
      tool: string,
    ) => Promise<Values>
  >
> = {
  stream: async (pipeline, _, { bytes, size }) => {
    const stages = (total: number): Stages => [
      ["gen", String(total), String(size)],
      ["relay", String(size)],
      ["relay", String(size)],
      ["count", String(size)],
    ]
    await pipeline(stages(16 * 1024 * 1024))
    let said = ""
    const ms = await timed(async () => said = await pipeline(stages(bytes)))
    if (Number(said) !== bytes) throw new Error(`${said} of ${bytes} bytes`)
    return { megabytesPerSecond: bytes / ms / 1000 }
  },
  tiny: async (pipeline, _, { times }, tool) => {
    const script = await tinyScripts[tool]?.()
    const once = async () => {
      const said = await (script?.() ??
        pipeline([["echo", "hello"], ["relay"], ["count"]]))
      if (said.trim() !== "6") throw new Error(`said ${said}`)
    }
    for (let round = 0; round < 20; round++) await once()
    const ms = await timed(async () => {
      for (let round = 0; round < times; round++) await once()
    })
    return { ms: ms / times }
  },
  switches: async (_, kernel, { turns }) => {
    await start(kernel, pingPong(1000), new NullFile(), new NullFile())
    const ms = await timed(() => start(kernel, pingPong(turns), new NullFile(), new NullFile()))
    return { ns: ms * 1e6 / turns / 2 }
  },
  starts: async (pipeline, _, { times }) => {
    for (let round = 0; round < 20; round++) await pipeline([["true"]])
    const ms = await timed(async () => {
      for (let round = 0; round < times; round++) await pipeline([["true"]])
    })
    return { perSecond: times / ms * 1000 }
  },
  python: async (_, _kernel, _job, tool) => ({
    ...await (await import("./python.ts")).pythonStart(tool),
  }),
  memory: async (_, kernel) => {
    const before = process.memoryUsage().rss
    let during = 0
    const count = 600
    await start(
      kernel,
      crowd(count, () => during = process.memoryUsage().rss),
      new NullFile(),
      new NullFile(),
    )
    return { kib: (during - before) / count / 1024 }
  },
  bundle: async () => ({
    ...await (await import("./bundle.ts")).bundleSizes(),
  }),
  fresh: async (_, _kernel, { times }, tool) => await freshTime(tool, times),
}

const [row = "", tool = "", json = ""] = process.argv.slice(2)
const job = decodeJob(json)
const kernel = makeKernel(job)
const measure: (typeof rows)[string] | undefined = rows[row] ??
  (row in scripts ? async (_, _kernel, { wasm }, tool) => await scriptTime(row, tool, dirname(wasm)) : undefined)
if (measure === undefined) throw new Error(`no such row: ${row}`)
const values = await measure(
  tool === "native"
    ? native(job)
    : tool === "@wasmer/sdk" && row !== "python"
    ? await (await import("./wasmer.ts")).inWasmer(job.wasm)
    : inKernel(kernel),
  kernel,
  job,
  tool,
)
kernel.close()
writeSync(1, `${JSON.stringify(values)}\n`)
process.exit(0)
