// The first visit, a wrong password, logging out and in again.

export async function door(page, url, check) {
  await page.goto(url);
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('correct horse');
  await page.getByLabel('The same again').fill('battery staple');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('The two are not the same').waitFor();
  await check('setup');
  await page.getByLabel('The same again').fill('correct horse');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await password.fill('wrong horse');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('the password is wrong').waitFor();
  await check('login');
  await password.fill('correct horse');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  // A change, which needs the token of the login.
  await page.getByRole('link', { name: 'general' }).first().click();
  await page.getByLabel('New post').fill('Hello, @demo');
  await page.getByRole('button', { name: 'Post', exact: true }).click();
  await page.getByText('This is the demo agent').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
}
