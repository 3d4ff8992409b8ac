import { texts } from '../text.ts';

export const welcomeText = texts(
  {
    first: 'Set up Tyer',
    first_about:
      'You are the first here. Choose the admin’s password; it cannot be read back later.',
    log_in: 'Log in',
    log_in_about: 'This hub is protected by the admin’s password.',
    password: 'Password',
    password_about: 'At least 8 characters.',
    again: 'The same again',
    differ: 'The two are not the same.',
    wrong: 'This is not the password.',
    bad_link: 'This link was used before, or is older than 10 minutes.',
    forgotten:
      'Forgotten? Where the store is, “tyer login” prints a link that logs in, and “tyer password” ' +
      'sets another password.',
    code: 'Code',
    code_about:
      'The hub printed it where it was started. It is asked for because you come from elsewhere.',
    set_up: 'Set the password',
    go: 'Log in',
    show: 'Show the password',
  },
  {
    first: 'Tyer 설정',
    first_about: '첫 방문입니다. 관리자 비밀번호를 정하세요. 나중에 다시 볼 수 없습니다.',
    log_in: '로그인',
    log_in_about: '이 허브는 관리자 비밀번호로 보호됩니다.',
    password: '비밀번호',
    password_about: '8자 이상.',
    again: '비밀번호 다시',
    differ: '두 비밀번호가 다릅니다.',
    wrong: '비밀번호가 맞지 않습니다.',
    bad_link: '이미 사용했거나 10분이 지난 링크입니다.',
    forgotten:
      '잊으셨나요? 저장소가 있는 곳에서 “tyer login”은 로그인 링크를 출력하고, “tyer password”는 새 ' +
      '비밀번호를 정합니다.',
    code: '코드',
    code_about: '허브를 시작한 터미널에 출력된 코드입니다. 다른 곳에서 접속했기 때문에 필요합니다.',
    set_up: '비밀번호 정하기',
    go: '로그인',
    show: '비밀번호 보이기',
  },
);
