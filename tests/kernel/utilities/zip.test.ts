import { expect, it } from "@effect/vitest"
import { makeWorld, start } from "../shell/support.ts"
import { compare } from "./support.ts"

compare("zip and unzip pack and unpack as Debian's do", [
  "zip -rq t.zip dir abc.txt; rm -r dir abc.txt; unzip -q t.zip; rm t.zip",
  "zip -rq t dir abc.txt; unzip t.zip -d o | tail -n +2 | sort; unzip -o t -d o | tail -n +2 | sort; rm t.zip",
  "zip -q t.zip abc.txt dup.txt; unzip -p t.zip abc.txt; unzip -t t.zip; unzip -tq t.zip; rm t.zip",
  "zip -q t.zip abc.txt; unzip -l t.zip; rm t.zip",
  "zip -q t.zip abc.txt; unzip -p t.zip nomatch | cat; rm t.zip; unzip t.zip",
  "zip -q t.zip missing",
  "zip -rq t.zip dir -x '*.c'; unzip -q t.zip -d o; rm t.zip",
  "zip -rq t.zip . -i '*.c' '*.log'; unzip -q t.zip -d o; rm t.zip",
  "zip -jrq t.zip dir; unzip -q t.zip -d o; rm t.zip",
  "zip -rq t.zip dir; unzip -jq t.zip 'dir/*.c' -d o; rm t.zip",
  "zip -yq t.zip link; unzip t.zip -d o; rm t.zip",
  "zip -0q t.zip abc.txt; unzip -v t.zip; rm t.zip",
  "seq 100000 > big; zip -q t.zip big; unzip -p t.zip big | md5sum; unzip -n t.zip; rm t.zip",
  "zip -q t.zip abc.txt; cp dup.txt abc.txt; zip -q t.zip abc.txt nonl.txt; unzip -p t.zip; rm t.zip",
  "zip -rqm t.zip dir; unzip -qo t.zip; rm t.zip",
  "cat abc.txt | zip -q - - | cat > s.zip; unzip -p s.zip; rm s.zip",
], { tree: true })

compare("zip removes members and unzip lists names as Debian's do", [
  "zip -rq t.zip dir abc.txt; unzip -Z1 t.zip | sort; zip -dq t.zip 'dir/*'; unzip -Z1 t.zip; zip -d t.zip nomatch; echo $?; rm t.zip",
  "zip -q t.zip abc.txt dup.txt; zip -d t.zip abc.txt; unzip -Z1 t.zip 'd*'; unzip -Z -1 t.zip; zip -dq t.zip dup.txt; ls; zip -d t.zip x; echo $?",
], { shell: true, tree: true })

const sh = (script: string) => start(makeWorld(), "sh", ["sh", "-c", script]).answer

it("unzip extracts names that lead up below the directory", async () => {
  const script = "echo x > f; mkdir d; cd d; zip -q ../t.zip ../f; unzip ../t.zip -d o > /dev/null; ls o"
  const { stderr, stdout } = await sh(script)
  expect(stdout).toBe("f\n")
  expect(stderr).toBe('warning:  skipped "../" path component(s) in ../f\n')
})

it("unzip refuses an archive that is damaged", async () => {
  const { stderr, stdout } = await sh(
    "seq 100 > f; zip -q t.zip f; { head -c 60 t.zip; printf xxxx; tail -c +65 t.zip; } > u.zip; unzip -t u.zip > /dev/null; echo $?",
  )
  expect(stdout).toMatch(/^2\n$/)
  expect(stderr).toMatch(/^f: {2}(bad CRC|invalid compressed data|unexpected end of file|more bytes)/)
})

it("unzip stops at the size that the archive says", async () => {
  // The central directory of a zip bomb may say a small size: the field is 24 bytes after the second signature.
  const { stderr, stdout } = await sh(
    "head -c 1000000 /dev/zero > f; zip -qX t.zip f; s=$(stat -c %s t.zip); c=$((s - 22 - 47))\n" +
      "{ head -c $((c + 24)) t.zip; printf '\\1\\0\\0\\0'; tail -c +$((c + 29)) t.zip; } > u.zip; unzip -qo u.zip; echo $?",
  )
  expect(stdout).toBe("2\n")
  expect(stderr).toBe("f:  more bytes than the archive says\n")
})
