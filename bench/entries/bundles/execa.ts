import { execa } from "execa"

for await (const line of execa("git", ["log"], { buffer: false })) {
  console.log(line)
}
