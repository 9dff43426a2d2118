/** Makes elements with ages and elapsed times, refreshes them every second, and formats exact times. */
import { makeElement, setText } from "./dom.ts"
import { formatDuration } from "./formatText.ts"

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

const steps: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, millis: number]> = [
  ["year", 31_536_000_000],
  ["month", 2_592_000_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
]

/** Formats an age; a time in the future, by another clock, is now. */
const formatAgo = (then: number, now: number): string => {
  const passed = Math.max(0, now - then)
  const [unit, millis] = steps.find(([, millis]) => passed >= millis) ?? []
  if (unit !== undefined && millis !== undefined) return relative.format(-Math.floor(passed / millis), unit)
  return passed < 10_000 ? "just now" : relative.format(-Math.floor(passed / 10_000) * 10, "second")
}

export const formatExact = (millis: number): string => exact.format(millis)

/** Makes an element with an age, and the exact time as its tooltip. */
export const agoElement = (millis: number): HTMLElement =>
  makeElement(
    "time",
    { datetime: new Date(millis).toISOString(), title: formatExact(millis), "data-at": millis },
    formatAgo(millis, Date.now()),
  )

export const elapsedElement = (since: number): HTMLElement =>
  makeElement("span", { "data-since": since }, formatDuration(Math.max(0, Date.now() - since)))

const seconds = (millis: number): string => formatDuration(Math.max(0, Math.floor(millis / 1_000) * 1_000))

const refreshTimes = (): void => {
  const now = Date.now()
  for (const element of document.querySelectorAll<HTMLElement>("[data-at]")) {
    setText(element, formatAgo(Number(element.dataset["at"]), now))
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-since]")) {
    setText(element, seconds(now - Number(element.dataset["since"])))
  }
}

/** Updates all times of the page once a second while it is visible. */
export const keepTimesCurrent = (): void => {
  let timer: ReturnType<typeof setInterval> | undefined
  const update = (): void => {
    clearInterval(timer)
    if (document.visibilityState === "hidden") return
    refreshTimes()
    timer = setInterval(refreshTimes, 1_000)
  }
  document.addEventListener("visibilitychange", update)
  update()
}
