import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ConnectionNotice } from "../../../src/cli/terminal/ConnectionNotice.ts"
import { eventually, pause } from "../../support/eventually.ts"

it.live("reports a lasting loss once, and its end", () =>
  Effect.gen(function* () {
    const told: Array<string> = []
    const notice = new ConnectionNotice((text) => told.push(text), () => true, 1)
    notice.change("lost")
    notice.change("lost")
    yield* eventually("it is told", () => told.length > 0)
    notice.change("lost")
    notice.change("open")
    notice.change("open")
    expect(told).toEqual([expect.stringContaining("no connection"), "connected again"])
  }))

it.live("does not report a short loss, after its end, or while a program uses the whole screen", () =>
  Effect.gen(function* () {
    const told: Array<string> = []
    const short = new ConnectionNotice((text) => told.push(text), () => true, 50)
    short.change("open")
    short.change("lost")
    short.change("open")
    short.change("lost")
    short.close()
    const covered = new ConnectionNotice((text) => told.push(text), () => false, 1)
    covered.change("lost")
    yield* pause(100)
    covered.change("open")
    expect(told).toEqual([])
  }))
