import { useTranslation } from 'react-i18next';
import { Notice } from '../../../ui/notice.tsx';

/** Says that this is not the result that the account keeps: other conditions change only the view. */
export function FirstResultNotice({ onShow }: { readonly onShow: () => void }) {
  const { t } = useTranslation();
  return (
    <Notice tone="information" title={t('otherConditions.title')}>
      <p>{t('otherConditions.text')}</p>
      <button type="button" className="button button-quiet" onClick={onShow}>
        {t('otherConditions.back')}
      </button>
    </Notice>
  );
}
