import { expect, it } from "@effect/vitest"
import { Errno } from "../../../src/kernel/Errno.ts"
import { NullFile } from "../../../src/kernel/process/NullFile.ts"
import { type Program, Signal, type System } from "../../../src/kernel/System.ts"
import { bytes, makeKernel, must, run } from "./support.ts"

/** Runs a program; what it throws that is not the kernel's own fails the test. */
const inside = async (program: Program, options: Parameters<typeof makeKernel>[0] = {}) => {
  const kernel = makeKernel(options)
  const ran = await run(kernel, { program })
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" })
  return kernel
}

const sleeper: Program = async (system) => await system.sleep(60_000)

const child = (system: System, program: Program, group?: number): number =>
  system.spawn({ program, args: ["child"], ...group !== undefined && { group } })

it("ends a waiting process by a signal, with 128 and its number", () =>
  inside(async (system) => {
    for (const signal of [Signal.SIGTERM, Signal.SIGKILL, Signal.SIGINT, Signal.SIGHUP]) {
      const pid = child(system, sleeper)
      expect(system.kill(pid, 0)).toBe(0)
      expect(system.kill(pid, signal)).toBe(0)
      expect(await system.wait(pid)).toEqual({ pid, exitCode: 128 + signal, signal })
      expect(system.kill(pid, 0)).toBe(-Errno.ESRCH)
    }
    expect(system.kill(system.pid, 65)).toBe(-Errno.EINVAL)
    expect(system.kill(system.pid, -1)).toBe(-Errno.EINVAL)
    return 0
  }))

it("ends a process that was killed before it began", () =>
  inside(async (system) => {
    let began = false
    const pid = child(system, () => {
      began = true
      return 0
    })
    system.kill(pid, Signal.SIGKILL)
    expect(await system.wait(pid)).toMatchObject({ exitCode: 137 })
    expect(began).toBe(false)
    return 0
  }))

it("does not let a killed process continue, whatever it catches", () =>
  inside(async (system) => {
    const steps: Array<string> = []
    const pid = child(system, async (own) => {
      try {
        await own.sleep(60_000)
        steps.push("slept")
      } catch {
        steps.push("caught")
      }
      try {
        own.write(1, bytes("more"))
        steps.push("wrote")
      } finally {
        steps.push("left")
      }
      return 0
    })
    await system.sleep(1)
    system.kill(pid, Signal.SIGTERM)
    expect(await system.wait(pid)).toMatchObject({ exitCode: 143 })
    await system.sleep(1)
    expect(steps).toEqual(["caught", "left"])
    return 0
  }))

it("runs handlers between calls, and ends waits for children and clocks with EINTR", () =>
  inside(async (system) => {
    const handled: Array<number> = []
    const pid = child(system, async (own) => {
      expect(own.onSignal(Signal.SIGUSR1, () => handled.push(1))).toBe("default")
      own.onSignal(Signal.SIGTERM, () => handled.push(2))
      expect(await own.sleep(60_000)).toBe(-Errno.EINTR)
      expect(handled).toEqual([1])
      expect(await own.poll([{ _tag: "After", ms: 60_000 }])).toBe(-Errno.EINTR)
      expect(handled).toEqual([1, 2])
      const grandchild = child(own, sleeper)
      expect(await own.wait(grandchild)).toBe(-Errno.EINTR)
      own.kill(grandchild, Signal.SIGKILL)
      return handled.length
    })
    for (const signal of [Signal.SIGUSR1, Signal.SIGTERM, Signal.SIGUSR1]) {
      await system.sleep(2)
      expect(system.kill(pid, signal)).toBe(0)
    }
    expect(await system.wait(pid)).toMatchObject({ exitCode: 3 })
    return 0
  }))

it("lets a read continue to wait after a handler ran", () =>
  inside(async (system) => {
    const [read, write] = must(system.pipe())
    let handled = 0
    const pid = system.spawn({
      program: async (own) => {
        own.onSignal(Signal.SIGUSR1, () => handled++)
        const count = await own.read(0, new Uint8Array(10))
        own.fstat(0)
        return count * 10 + handled
      },
      args: ["child"],
      fds: [[0, read]],
    })
    await system.sleep(1)
    system.kill(pid, Signal.SIGUSR1)
    system.kill(pid, Signal.SIGUSR1)
    await system.sleep(1)
    system.write(write, bytes("abc"))
    expect(await system.wait(pid)).toMatchObject({ exitCode: 31 })
    return 0
  }))

it("lets a handler end its process", () =>
  inside(async (system) => {
    const pid = child(system, async (own) => {
      own.onSignal(Signal.SIGTERM, () => own.exit(9))
      return await own.sleep(60_000)
    })
    await system.sleep(1)
    system.kill(pid, Signal.SIGTERM)
    expect(await system.wait(pid)).toEqual({ pid, exitCode: 9 })
    return 0
  }))

it("ignores ignored signals, from the start in children, and never SIGKILL", () =>
  inside(async (system) => {
    system.onSignal(Signal.SIGTERM, "ignore")
    system.onSignal(Signal.SIGKILL, "ignore")
    const pid = child(system, sleeper)
    await system.sleep(1)
    system.kill(pid, Signal.SIGTERM)
    system.kill(pid, Signal.SIGCHLD)
    await system.sleep(1)
    expect(await system.wait(pid, { hang: false })).toBeUndefined()
    system.kill(pid, Signal.SIGKILL)
    expect(await system.wait(pid)).toMatchObject({ exitCode: 137 })
    const other = system.spawn({ program: sleeper, args: ["child"], ignore: [] })
    system.kill(other, Signal.SIGTERM)
    expect(await system.wait(other)).toMatchObject({ exitCode: 143 })
    return 0
  }))

it("sends a signal to the processes of a group only", () =>
  inside(async (system) => {
    const leader = child(system, sleeper, 0)
    const member = child(system, sleeper, leader)
    const other = child(system, sleeper)
    expect(system.kill(-leader, Signal.SIGINT)).toBe(0)
    expect(await system.wait(leader)).toMatchObject({ exitCode: 130 })
    expect(await system.wait(member)).toMatchObject({ exitCode: 130 })
    expect(await system.wait(other, { hang: false })).toBeUndefined()
    expect(system.kill(-leader, Signal.SIGINT)).toBe(-Errno.ESRCH)
    expect(system.kill(-1, Signal.SIGKILL)).toBe(0)
    expect(await system.wait(other)).toMatchObject({ exitCode: 137 })
    return 0
  }))

it("lets the host signal a process with all that it started", async () => {
  const kernel = makeKernel()
  const handle = must(kernel.start({
    program: async (system) => {
      child(system, sleeper)
      child(system, sleeper, 0)
      return await system.sleep(60_000)
    },
    args: ["parent"],
    fds: {},
  }))
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(handle.signalAll(Signal.SIGINT)).toBe(3)
  expect(await handle.exited).toMatchObject({ exitCode: 130 })
  expect(kernel.processes).toBe(0)
  expect(handle.isAlive()).toBe(false)
  expect(handle.kill()).toBe(-Errno.ESRCH)
})

it("sends SIGCHLD to the parent, and waits for any child in the order of their ends", () =>
  inside(async (system) => {
    let told = 0
    system.onSignal(Signal.SIGCHLD, () => told++)
    const pids = [3, 1, 2].map((code) =>
      child(system, async (own) => {
        await own.sleep(code * 10)
        return code
      })
    )
    const codes: Array<number> = []
    while (codes.length < 3) {
      const status = await system.wait(-1)
      if (typeof status === "object") codes.push(status.exitCode)
    }
    expect(codes).toEqual([1, 2, 3])
    expect(pids.length).toBe(3)
    system.fstat(0)
    expect(told).toBeGreaterThan(0)
    expect(await system.wait(-1)).toBe(-Errno.ECHILD)
    expect(await system.wait(pids[0] ?? 0)).toBe(-Errno.ECHILD)
    return 0
  }))

it("keeps a child that ended until it is waited for, and reaps those whose parent is gone", async () => {
  const kernel = makeKernel()
  const ran = await run(kernel, {
    program: async (system) => {
      const zombie = child(system, () => 5)
      await system.sleep(2)
      expect(kernel.processes).toBe(2)
      expect(system.kill(zombie, 0)).toBe(0)
      const orphan = child(system, (own) => {
        child(own, async (inner) => {
          await inner.sleep(20)
          return inner.parent === 0 ? 0 : 1
        })
        return 0
      })
      expect(await system.wait(orphan)).toMatchObject({ exitCode: 0 })
      expect(kernel.processes).toBe(3)
      expect(await system.wait(zombie)).toMatchObject({ exitCode: 5 })
      child(system, () => 6)
      await system.sleep(1)
      return 0
    },
  })
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" })
  // The unreaped zombie went with its parent; the orphan lives on, and ends by itself.
  expect(kernel.processes).toBe(1)
  await expect.poll(() => kernel.processes).toBe(0)
})

it("reports a program that throws, and continues", async () => {
  const kernel = makeKernel()
  const ran = await run(kernel, { program: () => Promise.reject(new TypeError("no good")), args: ["bad"] })
  expect(ran).toMatchObject({ exitCode: 134, stderr: "bad: TypeError: no good\n" })
  expect(await run(kernel, { program: () => 0 })).toMatchObject({ exitCode: 0 })
})

it("ends everything when it is closed, and starts nothing more", async () => {
  const kernel = makeKernel()
  const files: Array<NullFile> = []
  const handles = Array.from({ length: 5 }, () => {
    const file = new NullFile()
    files.push(file)
    return must(kernel.start({
      program: async (system) => {
        child(system, sleeper)
        return await system.sleep(60_000)
      },
      args: ["parent"],
      fds: { 0: file, 1: file },
    }))
  })
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(kernel.processes).toBe(10)
  expect(files.map(({ references }) => references)).toEqual([4, 4, 4, 4, 4])
  kernel.close()
  for (const { exited } of handles) expect(await exited).toMatchObject({ exitCode: 137, reason: { _tag: "Closed" } })
  expect(kernel.processes).toBe(0)
  expect(files.map(({ references }) => references)).toEqual([0, 0, 0, 0, 0])
  expect(kernel.start({ program: sleeper, args: [], fds: {} })).toBe(-Errno.EAGAIN)
})

it("sends the parent-death signal to a child when its parent ends, and none to other children", async () => {
  const kernel = makeKernel()
  const heard: Array<string> = []
  const child = (name: string): Program => async (system) => {
    system.onSignal(Signal.SIGHUP, () => heard.push(name))
    await system.sleep(20)
    heard.push(`${name} over`)
    return 0
  }
  const handle = must(kernel.start({
    program: async (system) => {
      system.spawn({ program: child("bound"), args: [], parentDeathSignal: Signal.SIGHUP })
      system.spawn({ program: child("free"), args: [] })
      system.spawn({ program: async (own) => await own.sleep(60_000), args: [], parentDeathSignal: Signal.SIGKILL })
      await system.sleep(5)
      return 0
    },
    args: [],
    fds: {},
  }))
  await new Promise<void>((resolve) => void handle.whenOver(resolve))
  expect(heard.sort()).toEqual(["bound", "bound over", "free over"])
  expect(kernel.processes).toBe(0)
})
