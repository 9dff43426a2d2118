import { describe, expect, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { watchdogScript } from "../../../src/leaves/ssh/watchdogScript.ts"
import { scriptLine, scriptText } from "../../../src/leaves/ssh/startScript.ts"

const nonce = "0123456789abcdef"

/** A zombie is dead: where process 1 does not reap, it stays. */
const isAlive = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

const until = async (what: string, holds: () => boolean): Promise<void> => {
  for (let round = 0; !holds(); round++) {
    if (round === 1_500) throw new Error(`never came true: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The script, as a server starts it. */
const watchdog = (shell: string, tick?: number, change = (script: string) => script) => {
  const [file = "sh", ...args] = shell.split(" ")
  const child = spawn(file, [...args, "-c", scriptLine(nonce)], { stdio: ["pipe", "pipe", "ignore"] })
  let text = ""
  child.stdout.setEncoding("utf8")
  child.stdout.on("data", (data: string) => void (text += data))
  const exited = new Promise<void>((resolve) => child.on("exit", () => resolve()))
  child.stdin.write(scriptText(nonce, change(watchdogScript(1, tick))))
  return {
    text: () => text,
    send: (line: string) => void child.stdin.write(`${line}\n`),
    end: () => void child.stdin.end(),
    exited,
    stop: () => void child.kill("SIGKILL"),
  }
}

/** A tree that ignores SIGTERM, with a marker in its environment. */
const tree = async (marker: string) => {
  const script = "trap '' TERM; sleep 60 & echo $$ $!; wait; wait"
  const child = spawn("sh", ["-c", script], {
    env: { ...process.env, SLUICE_RUN: marker },
    stdio: ["ignore", "pipe", "ignore"],
  })
  let text = ""
  child.stdout.setEncoding("utf8")
  child.stdout.on("data", (data: string) => void (text += data))
  await until("the tree runs", () => text.includes("\n"))
  const pids = text.trim().split(" ").map(Number)
  return { pids, root: pids[0] ?? 0, alive: () => pids.filter(isAlive), kill: () => void child.kill("SIGKILL") }
}

const mark = (): string => `sluice-test.${crypto.randomUUID().slice(0, 13)}`

describe.runIf(process.platform === "linux")("the script on the server", () => {
  const shells = ["sh", "bash --posix", "busybox sh"].filter((shell) => existsSync(`/bin/${shell.split(" ")[0]}`))

  it.each(shells)("reports facts, ends a tree on request, and itself with its input: %s", async (shell) => {
    const [marker, other] = [mark(), mark()]
    const [one, two] = [await tree(marker), await tree(other)]
    const { end, exited, send, text } = watchdog(shell)
    await until("the facts are told", () => text().split(nonce).length === 3)
    expect(text()).toMatch(/^os Linux$/m)
    expect(text()).toMatch(/^proc yes$/m)
    expect(text()).toMatch(/^limits v t f/m)
    send(`a ${one.root} ${marker}`)
    send(`e q1 ${marker} 1`)
    await until("it answers", () => text().includes("\nq1 "))
    expect(text()).toMatch(/^q1 , $/m)
    expect([one.alive(), two.alive().length]).toEqual([[], 2])
    send(`d ${marker}`)
    end()
    await exited
    expect(two.alive().length).toBe(2)
    two.kill()
    process.kill(two.pids[1] ?? 0, "SIGKILL")
  })

  it.each(shells)("ends registered trees when its input ends, and nothing else: %s", async (shell) => {
    const [marker, gone, other] = [mark(), mark(), mark()]
    const [one, two, three] = [await tree(marker), await tree(gone), await tree(other)]
    const { end, exited, send } = watchdog(shell)
    send(`a ${one.root} ${marker}`)
    send(`a ${two.root} ${gone}`)
    // Ended for its run: what it left behind is left alone.
    send(`d ${gone}`)
    end()
    await exited
    expect(one.alive()).toEqual([])
    expect([two.alive().length, three.alive().length]).toEqual([2, 2])
    for (const { pids } of [two, three]) for (const pid of pids) process.kill(pid, "SIGKILL")
  })

  it("ends registered trees when no sign of life arrives, even if its input is open", async () => {
    const marker = mark()
    const one = await tree(marker)
    const { exited, send } = watchdog("sh", 0.2)
    send(`a ${one.root} ${marker}`)
    for (let beat = 0; beat < 8; beat++) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      send("h")
    }
    expect(one.alive().length).toBe(2)
    await until("the tree is dead", () => one.alive().length === 0)
    await exited
  })

  it("signals only a process that has the marker", async () => {
    const [marker, other] = [mark(), mark()]
    const [one, two] = [await tree(marker), await tree(other)]
    const { end, exited, send } = watchdog("sh")
    send(`s KILL ${two.root} ${marker}`)
    send(`s KILL ${one.root} ${marker}`)
    await until("it is dead", () => !isAlive(one.root))
    expect(isAlive(two.root)).toBe(true)
    end()
    await exited
    for (const pid of [...one.pids.slice(1), ...two.pids]) process.kill(pid, "SIGKILL")
  })

  it("ends processes that other hosts left of a command, and spares its own", async () => {
    const prefix = `sluice-${crypto.randomUUID().slice(0, 8)}.`
    const [lost, own] = [await tree(`${prefix}aaaa`), await tree(`${prefix}bbbb`)]
    const { end, exited, send, text } = watchdog("sh")
    send(`a ${own.root} ${prefix}bbbb`)
    send(`o q1 ${prefix} 1`)
    await until("it answers", () => text().includes("\nq1 "))
    expect(lost.alive()).toEqual([])
    expect(own.alive().length).toBe(2)
    const [, pids = ""] = /^q1 (\S+)/m.exec(text()) ?? []
    const ended = new Set(pids.split(",").filter((pid) => pid !== "").map(Number))
    expect(ended).toEqual(new Set(lost.pids))
    send(`d ${prefix}bbbb`)
    end()
    await exited
    for (const pid of own.pids) process.kill(pid, "SIGKILL")
  })

  it("finds a tree by ps where there is no /proc", async () => {
    const [marker, other] = [mark(), mark()]
    const [one, two] = [await tree(marker), await tree(other)]
    const without = (script: string): string =>
      script.replaceAll("[ ! -r /proc/self/environ ]", "true").replaceAll("[ -r /proc/self/environ ]", "false")
    const { end, exited, send, text } = watchdog("sh", undefined, without)
    send(`a ${one.root} ${marker}`)
    send(`e q1 ${marker} 1`)
    await until("it answers", () => text().includes("\nq1 "))
    expect(text()).toMatch(/^proc $/m)
    expect([one.alive(), two.alive().length]).toEqual([[], 2])
    end()
    await exited
    for (const pid of two.pids) process.kill(pid, "SIGKILL")
  })
})
