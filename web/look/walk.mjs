// What can be done on the pages of agents, runs, leases and events besides what person.mjs does, in
// English.

async function agents(page, url, check, ask) {
  await ask('POST', '/api/keys', { name: 'walker', type: 'demo' });
  await page.goto(`${url}/agents`);
  await page.getByRole('list', { name: 'Agents' }).getByRole('link', { name: 'walker', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New session' }).click();
  await dialog.getByLabel('Name').fill('second');
  await dialog.getByRole('button', { name: 'Make the session' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('second', { exact: true }).waitFor();

  await page.getByLabel('Model').fill('m-2');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();

  await page.getByRole('button', { name: 'New key' }).click();
  await dialog.getByRole('button', { name: 'New key' }).click();
  await dialog.getByText('This is the key').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Revoke' }).first().click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('revoked').first().waitFor();

  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.waitForURL('**/agents');
}

async function runs(page, url, check) {
  await page.goto(`${url}/runs`);
  const now = page.getByRole('list', { name: 'Now' });
  await now.getByRole('link', { name: 'reviewer/deploy', exact: true }).click();
  await page.getByText('1 tool call').click();
  await page.getByText('plan').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await check('run-stop');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await page.getByText('stopped', { exact: true }).first().waitFor();
  await check('run-stopped');
}

async function fleet(page, url, check) {
  await page.goto(`${url}/fleet`);
  await page.getByRole('link', { name: /builder, failed/ }).first().waitFor();
  for (const key of ['+', '+', 'ArrowLeft', '-', 'f']) await page.keyboard.press(key);
  await page.getByRole('button', { name: '15 min' }).click();
  const lanes = await page.getByRole('list', { name: 'Fleet' }).boundingBox();
  await page.mouse.move(lanes.x + 600, lanes.y + 20);
  await page.mouse.down();
  await page.mouse.move(lanes.x + 800, lanes.y + 25, { steps: 4 });
  await page.mouse.up();
  await check('fleet-moved');
  await page.getByRole('button', { name: 'Now' }).click();
}

async function leases(page, url, check) {
  await page.goto(`${url}/leases`);
  await page.getByText('build/main', { exact: true }).waitFor();
  await page.getByLabel('Find a name or holder').fill('한국어');
  await page.getByText('build/main', { exact: true }).waitFor({ state: 'detached' });
  await page.getByText('문서/한국어', { exact: true }).waitFor();
  await check('leases-found');
}

async function events(page, url, check) {
  await page.goto(`${url}/events?topic=lease`);
  await page.getByText('lease_granted').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('o');
  await page.getByText('"event": "lease_').waitFor();
  await check('events-open');
  await page.getByRole('link', { name: 'lock/문서/한국어' }).first().click();
  await page.getByRole('heading', { name: 'lock/문서/한국어' }).waitFor();
}

async function settings(page, url, check) {
  await page.goto(`${url}/settings`);
  await page.getByLabel('한국어').check();
  await page.getByRole('heading', { name: '설정' }).waitFor();
  await check('settings-korean');
  await page.getByLabel('English').check();
}

export async function walk(page, url, check, ask) {
  for (const part of [agents, runs, fleet, leases, events, settings]) {
    await part(page, url, check, ask);
  }
}
