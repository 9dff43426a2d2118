import { expect, it } from "@effect/vitest"
import { QueryFilter } from "../../../src/cli/terminal/QueryFilter.ts"

const esc = "\x1b"

const answered = [
  ..."c 0c >c =c 5n 6n ?6n ?15n ?2026$p 4$p >q >0q 14t 18t 21t x 1*y ?u ?1;1;0S".split(" ").map((each) =>
    `${esc}[${each}`
  ),
  ..."4;1;? 10;? 11;? 52;c;? 52;c;aGk=".split(" ").flatMap((each) => [`${esc}]${each}\x07`, `${esc}]${each}${esc}\\`]),
  `${esc}P$qm${esc}\\`,
  `${esc}P+q544e${esc}\\`,
  `${esc}Z`,
  "\x05",
  "\x9b6n",
]

const shown = [
  ..."m 31m 2J 3;5H ?25h ?1049h ?2004l 4l 3S >4;2m !p ?1c 5@".split(" ").map((each) => `${esc}[${each}`),
  `${esc}]0;what is this?\x07`,
  `${esc}]8;;http://x/?q=1${esc}\\`,
  `${esc}c`,
  `${esc}(0`,
  "text\r\n\t中",
]

it("removes what a terminal would answer, and nothing else, however it is cut", () => {
  const all = answered.flatMap((each, index) => [each, `<${index}>`, shown[index % shown.length] ?? ""]).join("")
  const expected = answered.flatMap((_, index) => [`<${index}>`, shown[index % shown.length] ?? ""]).join("")
  for (const length of [1, 2, 3, 7, all.length]) {
    const filter = new QueryFilter()
    let text = ""
    for (let at = 0; at < all.length; at += length) text += filter.push(all.slice(at, at + length))
    expect(text + filter.end()).toBe(expected)
  }
})

it("gives what it held back at its end, and holds back no long string", () => {
  const filter = new QueryFilter()
  expect(filter.push(`a${esc}[3`)).toBe("a")
  expect(filter.end()).toBe(`${esc}[3`)
  const image = `${esc}Pq${"#".repeat(100_000)}`
  expect(filter.push(image)).toBe(image)
  expect(filter.end()).toBe("")
})
