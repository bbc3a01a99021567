import { adminProgram } from './admin-program.ts';

const COMMAND = 'node apps/server/src/write-pages.ts';

/** Generates `docs/admin.md`: the help pages as the commands print them. */
export function adminPage(): string {
  const program = adminProgram(async () => undefined);
  const pages = program.commands.map(
    (command) => `## ${command.name()}\n\n\`\`\`text\n${command.helpInformation().trim()}\n\`\`\`\n`,
  );
  return `# Commands for operators

<!-- Written by \`${COMMAND}\` from the help pages in apps/server/src/admin/; edit those. -->

\`./chiffchaff admin\` manages a server from the machine it runs on, while it is running or not, with SQLite or PostgreSQL. Run it as
the user the server runs as, with the same settings: \`DATA_DIR\`, or \`DATABASE_URL\` and \`STORAGE_URL\`. In a container:
\`docker exec CONTAINER node apps/server/src/admin/main.ts …\`. Exit status: 0 success, 1 it could not be done, 2 invalid arguments or
settings. \`./chiffchaff admin --version\` shows the version and the commit.

${pages.join('\n')}`;
}
