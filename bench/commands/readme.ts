/** The parts of the README that commands make: its tables, and what each column says. */
import { COLUMNS } from '../present/columns.ts'

/**
 * The page with its made parts made anew. `<!-- table: NAME -->` stands above
 * the table of a scenario, `<!-- columns -->` above the explanation of columns.
 *
 * @param goldenPage the golden Markdown page of a scenario, by the scenario's name
 */
export function rebuiltReadme(readme: string, goldenPage: (scenario: string) => string): string {
  return readme
    .replace(
      /(<!-- table: ([a-z0-9-]+) -->\n)[^]*?(<!-- end -->)/g,
      (_, open: string, scenario: string, close: string) =>
        `${open}\n${tableIn(goldenPage(scenario))}\n\n${close}`,
    )
    .replace(/(<!-- columns -->\n)[^]*?(<!-- end -->)/, `$1\n${explainedColumns()}\n\n$2`)
}

const tableIn = (page: string): string =>
  page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n')

const explainedColumns = (): string =>
  [
    '| column | unit in CSV | what it says |',
    '|---|---|---|',
    ...COLUMNS.map(({ title, unit, meaning }) => `| ${title} | ${unit ?? ''} | ${meaning} |`),
  ].join('\n')
