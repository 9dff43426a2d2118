/**
 * Times as people say them, that go on while one looks.
 *
 * @module
 */
import { make, setText } from "./dom.ts"
import { span } from "./words.ts"

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

const steps: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, millis: number]> = [
  ["year", 31_536_000_000],
  ["month", 2_592_000_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
]

/** How long ago it was; clocks differ, so what is to come is now. */
export const ago = (then: number, now: number): string => {
  const passed = Math.max(0, now - then)
  const [unit, millis] = steps.find(([, millis]) => passed >= millis) ?? []
  if (unit !== undefined && millis !== undefined) return relative.format(-Math.floor(passed / millis), unit)
  return passed < 10_000 ? "just now" : relative.format(-Math.floor(passed / 10_000) * 10, "second")
}

/** Date and time to the second. */
export const exactly = (millis: number): string => exact.format(millis)

/** How long ago something was; when exactly, where one points at it or has chosen it. */
export const timeOf = (millis: number): HTMLElement =>
  make(
    "time",
    { datetime: new Date(millis).toISOString(), title: exactly(millis), "data-at": millis },
    ago(millis, Date.now()),
  )

/** How long something has gone on. */
export const lasting = (since: number): HTMLElement =>
  make("span", { "data-since": since }, span(Math.max(0, Date.now() - since)))

const seconds = (millis: number): string => span(Math.max(0, Math.floor(millis / 1_000) * 1_000))

const goOn = (): void => {
  const now = Date.now()
  for (const element of document.querySelectorAll<HTMLElement>("[data-at]")) {
    setText(element, ago(Number(element.dataset["at"]), now))
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-since]")) {
    setText(element, seconds(now - Number(element.dataset["since"])))
  }
}

/** Lets all times of the page go on, once a second while somebody looks at it. */
export const letTimesGoOn = (): void => {
  let timer: ReturnType<typeof setInterval> | undefined
  const look = (): void => {
    clearInterval(timer)
    if (document.visibilityState === "hidden") return
    goOn()
    timer = setInterval(goOn, 1_000)
  }
  document.addEventListener("visibilitychange", look)
  look()
}
