import { compareGit } from "./compare.ts"

const start =
  `git init -q; printf 'one\\ntwo\\nthree\\n' > a.txt; mkdir -p dir/sub; echo deep > dir/sub/d.txt; save first
echo 2 >> a.txt; save 'second commit'; echo d >> dir/sub/d.txt; tick; git commit -qam 'third

With a body
of two lines.

And another paragraph.'; git checkout -q -b side HEAD~1; echo s > s; save side; git checkout -q main; git merge -q -m 'merge side' side; echo last >> a.txt; GIT_AUTHOR_NAME='Bob B' save 'fix: last one'
`

compareGit("git log", [
  `${start}git log; git log --oneline; git log -2; git log -n1; git log -1 --skip=1; git log --reverse --oneline; git log --stat; git log -p`,
  `${start}for f in oneline short medium full fuller raw reference '%h|%an|%ad|%s' 'format:%H%n%b' 'tformat:%t %p' '%x41%%%n%f' '%<(10)%an|%>(12)%h|%<(5,trunc)%s' '%d%D' '%ci %cI %ct %cr' '%+s%-b'; do git log --format="$f"; echo; echo "== $f"; done | sed 's/[0-9]* years\\?,\\? [0-9 months]*ago//'`,
  `${start}for d in iso iso-strict short rfc unix raw local format:%Y/%m/%d; do git log -2 --date=$d --format='%ad %cd'; done`,
  `${start}git log --oneline -- a.txt; git log --oneline -- dir; git log --oneline main..side; git log --oneline side..main; git log --oneline HEAD~2; git log --oneline --no-merges; git log --oneline --merges; git log --first-parent --oneline; git log --oneline --all; git log --author=Bob --oneline; git log --grep='^fix' --oneline; git log -i --grep=SECOND --oneline; git log --grep=body --format=%s; git log -S last --oneline`,
  `${start}git log --name-only; git log --name-status --oneline; git log --shortstat --format=%s; git log --oneline --stat -- dir; git log --format=%s --numstat -2; git log -p -1 --format='%h %s'`,
  `${start}git log --since=2023-11-14T22:16:00Z --oneline; git log --until='2023-11-14 22:16:00 +0000' --oneline; git log --oneline side...main; git log nope; echo $?; git log -- nope; git log nope.txt; echo $?`,
  `${start}git shortlog -sn HEAD; git shortlog HEAD; git rev-list HEAD; git rev-list --count HEAD; git rev-list --count side..main; git rev-list -n 1 main`,
])

compareGit("git show, blame and plumbing", [
  `${start}git show; git show HEAD~3; git show --stat HEAD~2; git show HEAD:a.txt; git show HEAD:dir; git show -s; git show -s --format=%s HEAD~1 side; git show --name-only; git show main~1; git show HEAD~5 -- a.txt; git show nope; echo $?`,
  `${start}git blame a.txt; git blame -L 2,3 a.txt; git blame -s a.txt; git blame -e a.txt; git blame -l HEAD~1 -- a.txt; echo uncommitted >> a.txt; git blame a.txt | sed '/^00000000/d'; git blame --porcelain dir/sub/d.txt; git blame nope; echo $?`,
  `${start}git rev-parse --show-toplevel --git-dir --is-inside-work-tree --is-bare-repository; cd dir; git rev-parse --show-prefix --show-cdup; git rev-parse --short HEAD; git rev-parse --verify -q nope; echo $?; git rev-parse main~2 side^ HEAD^2 :a.txt HEAD:./sub; git rev-parse --abbrev-ref HEAD; git rev-parse main..side; git rev-parse nope; echo $?`,
  `${start}git ls-files; git ls-files -s; git ls-files dir; git ls-files '*.txt'; cd dir; git ls-files; git ls-files --full-name; git ls-tree HEAD; cd ..; git ls-tree HEAD; git ls-tree -r --name-only HEAD; git ls-tree -r -l HEAD dir; git ls-tree HEAD dir/; git ls-files --error-unmatch nope; echo $?; echo x >> a.txt; rm s; git ls-files -m; git ls-files -d`,
  `${start}git cat-file -t HEAD; git cat-file -s HEAD:a.txt; git cat-file -p HEAD:a.txt; git cat-file blob HEAD:a.txt; git cat-file -e HEAD; echo $?; git cat-file -e nope; echo $?; echo hello | git hash-object --stdin; git hash-object a.txt; git write-tree; printf 'HEAD\\nnope\\n' | git cat-file --batch-check; git for-each-ref; git show-ref --heads`,
  `${start}git grep two; git grep -n 'o' -- '*.txt'; git grep -c e; git grep -l deep; git grep nothing; echo $?; git grep -i ONE HEAD~1; git grep -w one; git grep -E 'o(n|t)e|deep'; git grep -v one -- a.txt`,
])

compareGit("git config, remote and clean", [
  `git config user.name; echo $?; git config --global user.name 'A B'; git config --global user.name; git init -q; git config user.email x@y.z; git config --get user.email; git config --list --local; cat .git/config; git config --unset user.email; git config core.bare; git config --bool core.bare; git config section.sub.Key 'a # b'; cat .git/config; git config --get-all section.sub.key; git config --add section.sub.key two; git config --get-all section.sub.key; git config section.sub.key three; echo $?; git config --unset-all section.sub.key; cat .git/config; git config nosection; echo $?; git -c a.b=c config a.b; git config --get-regexp 'core.*'; git config --type=int x.y 2k; git config --int x.y; git config --remove-section x; git config --list --local`,
  `${start}git remote; git remote add origin https://example.com/x.git; git remote -v; git remote add origin y; echo $?; git remote get-url origin; git remote set-url origin https://example.com/y.git; git remote rename origin up; git remote -v; cat .git/config; git remote remove up; git remote; git remote remove up; echo $?; cat .git/config`,
  `${start}echo 1 > u1; mkdir u2; echo 2 > u2/f; echo '*.o' > .gitignore; echo o > x.o; git clean; echo $?; git clean -n; git clean -nd; git clean -f; git clean -fd; git clean -fX; ls -a`,
  `${start}git -C dir status -s; git -C nope status; echo $?; git --no-pager log --oneline -1; git config alias.st 'status -sb'; git st; git nonsense; echo $?; git --git-dir=.git --work-tree=. status -s`,
  `${start}mkdir other; echo x > dir/new; git add dir/new; cd dir; git add ../other; git mv sub ../other/; git status; git status -s; git rm -q --cached new; git status -s; git commit -m 'from below' .; git show --stat --format=%s`,
])
