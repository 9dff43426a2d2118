import { expect, it } from "vitest"
import type { Kernel, ProcessHandle } from "../../../src/kernel/mod.ts"
import { BufferFile } from "../../../src/kernel/process/BufferFile.ts"
import { StaticFile } from "../../../src/kernel/process/StaticFile.ts"
import { Signal } from "../../../src/kernel/System.ts"
import { makeWorld, must, sh, start } from "./support.ts"

const soon = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const shell = (kernel: Kernel, script: string) => start(kernel, "sh", ["sh", "-c", script])

it("ends an endless writer when its reader ends", async () => {
  const { exitCode, stdout } = await sh("yes | head -5; echo ${PIPESTATUS[@]}")
  expect(stdout).toBe("y\ny\ny\ny\ny\n141 0\n")
  expect(exitCode).toBe(0)
})

it("ends an endless builtin when its reader ends", async () => {
  const { stdout } = await sh("while :; do echo x; done | head -2; echo ${PIPESTATUS[@]}")
  expect(stdout).toBe("x\nx\n141 0\n")
})

it("streams through a loop that reads in the middle of a pipeline", async () => {
  const { stdout } = await sh('yes | while read -r x; do echo "<$x>"; done | head -3')
  expect(stdout).toBe("<y>\n<y>\n<y>\n")
})

it("passes on each line before the writer ends", async () => {
  const script = '{ echo one; sleep 0.3; echo two; } | while read -r x; do echo "got $x"; done'
  const running = shell(makeWorld(), script)
  while (running.stdout.text === "") await soon(5)
  expect(running.stdout.text).toBe("got one\n")
  expect((await running.answer).stdout).toBe("got one\ngot two\n")
})

it("passes megabytes through every kind of stage unchanged", async () => {
  const { stdout } = await sh("f() { cat; }; seq 20000 | f | (cat) | { cat; } | if true; then cat; fi | tail -1")
  expect(stdout).toBe("20000\n")
})

it("is killed while it waits for a child", async () => {
  const kernel = makeWorld()
  const running = shell(kernel, "sleep 100; echo no")
  while (kernel.processes < 2) await soon(1)
  expect(running.handle.kill(Signal.SIGTERM)).toBe(0)
  expect(await running.answer).toMatchObject({ exitCode: 143, stdout: "" })
  running.handle.endAll()
})

it("forwards a signal to the program that replaced it", async () => {
  const kernel = makeWorld()
  const running = shell(kernel, "trap 'echo no' TERM; exec sleep 100")
  while (kernel.processes < 2) await soon(1)
  running.handle.kill(Signal.SIGTERM)
  expect(await running.answer).toMatchObject({ exitCode: 143, stdout: "", stderr: "" })
})

it("is killed while it reads", async () => {
  const kernel = makeWorld()
  const { reader, writer } = kernel.pipe()
  const stdout = new BufferFile()
  const handle = must<ProcessHandle>(
    kernel.start({
      program: "sh",
      args: ["sh", "-c", "read x; echo no"],
      fds: { 0: reader, 1: stdout, 2: new BufferFile() },
    }),
  )
  await soon(20)
  handle.kill(Signal.SIGKILL)
  expect(await handle.exited).toMatchObject({ exitCode: 137, signal: Signal.SIGKILL })
  writer.release()
  expect(stdout.text).toBe("")
})

it.each([
  "while :; do :; done",
  "f() { while true; do x=1; done; }; f",
  "until false; do :; done",
  "for ((;;)); do :; done",
])(
  "lets timers fire and can be killed in a loop that calls nothing: %s",
  async (script) => {
    const running = shell(makeWorld(), script)
    let fired = 0
    const timer = setInterval(() => fired++, 5)
    await soon(60)
    clearInterval(timer)
    expect(fired).toBeGreaterThan(0)
    running.handle.kill(Signal.SIGKILL)
    expect(await running.answer).toMatchObject({ exitCode: 137 })
  },
)

it("lets timers fire while a pipeline is saturated", async () => {
  const running = shell(makeWorld(), "yes | cat | cat > /dev/null")
  let fired = 0
  const timer = setInterval(() => fired++, 5)
  await soon(80)
  clearInterval(timer)
  expect(fired).toBeGreaterThan(0)
  running.handle.endAll()
  expect((await running.answer).exitCode).toBe(137)
})

it("runs a trap after the foreground child during which the signal arrived", async () => {
  const running = shell(makeWorld(), "trap 'echo trapped' USR1; echo ready; sleep 0.15; echo end")
  while (running.stdout.text === "") await soon(1)
  running.handle.kill(Signal.SIGUSR1)
  expect((await running.answer).stdout).toBe("ready\ntrapped\nend\n")
})

it("runs a trap at once when the signal interrupts wait", async () => {
  const running = shell(makeWorld(), "trap 'echo trapped' USR1; echo ready; sleep 100 & wait; echo $?; kill $!")
  while (running.stdout.text === "") await soon(1)
  // A signal that arrives before `wait` does not end it; another one does.
  const timer = setInterval(() => running.handle.kill(Signal.SIGUSR1), 20)
  const { stdout } = await running.answer
  clearInterval(timer)
  expect(stdout).toMatch(/^ready\n(trapped\n)+138\n/)
})

it("reads a script from standard input line by line and leaves the rest to its commands", async () => {
  const text = 'echo first\nread x\ndata\necho "x=$x"\nif true\nthen cat <<E\nhere\nE\nfi\necho last\n'
  const { answer } = start(makeWorld(), "sh", ["sh"], new StaticFile(new TextEncoder().encode(text)))
  expect((await answer).stdout).toBe("first\nx=data\nhere\nlast\n")
})

it("leaves no process behind", async () => {
  const kernel = makeWorld()
  await shell(kernel, "a=$(echo x | cat); (exit 1) & wait; read y < <(echo z); cat <<<$a$y").answer
  await expect.poll(() => kernel.processes).toBe(0)
})
